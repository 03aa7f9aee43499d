import { textQuantity } from '../../../planner/refusal.ts';
import type { Vocabulary } from '../../../planner/vocabulary.ts';
import { CHECKSUMS, isChecksum, type ExpectedFile } from '../../../storage/check/checksums.ts';
import { shown } from '../../../tasks/task.ts';
import { checkUrl } from '../../../tasks/url-policy.ts';
import type { Notes } from '../../reading/notes.ts';
import type { At, BrokerData } from '../view.ts';
import { noteSeveralFiles, type FoundData } from './found-data.ts';
import { readIvoa, sizeOfBytes } from './ivoa.ts';
import { noteUnknownInside } from './known-keys.ts';

type Skao = NonNullable<BrokerData['skao']>;

/**
 * Data of the SKA's data lake: its first replica that can be fetched, else the URL of its IVOA
 * block. The file is held against the size and the checksum.
 */
export function readSkao(
  notes: Notes,
  at: At<BrokerData>,
  from: Vocabulary,
): FoundData | undefined {
  const path = `${at.path}.skao`;
  const block: Skao = at.item.skao ?? {};
  noteUnknownInside(notes, block, KEYS, path);
  noteSeveralFiles(notes, block.objecttype, `${path}.objecttype`);
  const expected = expectedOf(notes, block, path);
  const replica = block.replicas?.find(({ dataurl = '' }) => {
    const checked = checkUrl(dataurl, from.urls);
    return checked.ok && checked.url.protocol !== 'file:';
  });
  const size = sizeOfBytes(block.datasize);
  if (replica?.dataurl !== undefined) {
    const location = new URL(replica.dataurl).href;
    return { source: { kind: 'http', location, ...(expected && { expected }) }, size };
  }
  if (at.item.ivoa === undefined)
    return notes.note({
      code: 'data-not-fetched',
      path: `${path}.replicas`,
      detail: 'No replica has a URL that is fetched here, with http: or https:.',
    });
  const found = readIvoa(notes, at, from);
  if (found?.source.kind !== 'http') return undefined;
  return { source: { ...found.source, ...(expected && { expected }) }, size: size ?? found.size };
}

const KEYS = ['namespace', 'objectname', 'objecttype', 'datasize', 'checksum', 'replicas'];

/** What the file must be. */
function expectedOf(
  notes: Notes,
  { datasize, checksum }: Skao,
  path: string,
): ExpectedFile | undefined {
  const bytes = datasize === undefined || datasize <= 0 ? {} : { bytes: datasize };
  if (checksum === undefined) return 'bytes' in bytes ? bytes : undefined;
  noteUnknownInside(notes, checksum, ['type', 'value'], `${path}.checksum`);
  const algorithm = (checksum.type ?? '').toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const value = (checksum.value ?? '').toLowerCase();
  const found = CHECKSUMS.find((one) => one === algorithm);
  if (found === undefined)
    return notes.note({
      code: 'storage-value-invalid',
      path: `${path}.checksum.type`,
      asked: textQuantity(shown(checksum.type ?? '')),
      limit: textQuantity(CHECKSUMS.join(', ')),
    });
  if (isChecksum(found, value)) return { ...bytes, checksum: { algorithm: found, value } };
  return notes.note({
    code: 'storage-value-invalid',
    path: `${path}.checksum.value`,
    asked: textQuantity(shown(checksum.value ?? '')),
    detail: `This is not a checksum of ${found}.`,
  });
}
