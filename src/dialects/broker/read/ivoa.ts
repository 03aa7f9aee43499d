import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { shown } from '../../../tasks/task.ts';
import { fromGibibytes, type Mebibytes } from '../../../words/units.ts';
import { HTTP_DATA } from '../../reading/external.ts';
import type { Notes } from '../../reading/notes.ts';
import type { At, BrokerData } from '../view.ts';
import type { FoundData } from './found-data.ts';
import { noteUnknownInside } from './known-keys.ts';

/** Data of the IVOA: a URL in its DataLink or ObsCore row. An identifier alone is not resolved. */
export function readIvoa(
  notes: Notes,
  { item, path }: At<BrokerData>,
  from: Vocabulary,
): FoundData | undefined {
  const at = `${path}.ivoa`;
  const block = item.ivoa ?? {};
  noteUnknownInside(notes, block, ['ivoid', 'obscore', 'datalink'], at);
  const { ivoid, obscore, datalink } = block;
  if (datalink?.error_message !== undefined && datalink.error_message !== '')
    return notes.note({
      code: 'data-not-fetched',
      path: `${at}.datalink.error_message`,
      asked: textQuantity(shown(datalink.error_message)),
    });
  if (datalink?.link_auth?.trim().toLowerCase() === 'true')
    return notes.note({
      code: 'data-not-fetched',
      path: `${at}.datalink.link_auth`,
      asked: textQuantity(shown(datalink.link_auth)),
      detail: 'The data is fetched without a credential.',
    });
  const size = sizeOfBytes(datalink?.content_length);
  if (datalink?.access_url !== undefined)
    return locatedAt(notes, datalink.access_url, `${at}.datalink.access_url`, size, from);
  if (datalink?.service_def !== undefined)
    return notes.note({
      code: 'data-not-fetched',
      path: `${at}.datalink.service_def`,
      detail: 'A service descriptor is not followed; give the access_url.',
    });
  const format = obscore?.access_format;
  if (format !== undefined && /content=datalink/i.test(format))
    return notes.note({
      code: 'data-not-fetched',
      path: `${at}.obscore.access_format`,
      asked: textQuantity(shown(format)),
      detail: 'DataLink documents are not followed; give the row that has the data.',
    });
  if (obscore?.access_url !== undefined)
    return locatedAt(notes, obscore.access_url, `${at}.obscore.access_url`, size, from);
  return notes.note({
    code: 'data-not-fetched',
    path: `${at}.ivoid`,
    ...(ivoid === undefined ? {} : { asked: textQuantity(shown(ivoid)) }),
    detail: 'Identifiers are not resolved; give an access_url.',
  });
}

/** A number of bytes in MiB, rounded up; undefined for what is none. */
export function sizeOfBytes(bytes: number | undefined): Mebibytes | undefined {
  return bytes === undefined || bytes <= 0 || bytes > LARGEST
    ? undefined
    : fromGibibytes(bytes / 2 ** 30);
}

/** An EiB; JSON numbers are exact up to a hundredth of that, which is enough here. */
const LARGEST = 2 ** 60;

function locatedAt(
  notes: Notes,
  location: string,
  path: string,
  size: Mebibytes | undefined,
  from: Vocabulary,
): FoundData | undefined {
  // The place of `location` is that of the URL: the reader of simple data adds the key.
  const source = HTTP_DATA.read(
    { ...notes, note: (fault) => notes.note({ ...fault, path }) },
    { location },
    path,
    from,
  );
  return source && { source, size };
}
