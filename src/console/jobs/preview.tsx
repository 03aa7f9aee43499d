import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { open } from '../api.ts';
import { troubleIn, unreachable, type Trouble } from '../client.ts';
import { sizeText } from '../size.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { fitsCards, tableOf, type Preview } from './previews.ts';

type Props = {
  readonly kind: Preview;
  readonly place: string;
  readonly name: string;
  readonly size: number;
};

/** Larger pictures are only downloaded. */
const LARGEST_IMAGE = 20 * 1024 * 1024;
/** Bytes that are read of a table or a text, and of the headers of a FITS file. */
const PART = { table: 64 * 1024, text: 64 * 1024, fits: 20 * 2880 } as const;

/** A result in place. Pages of results are hostile: they run nothing and load nothing. */
export function ResultPreview({ kind, place, name, size }: Props) {
  switch (kind) {
    case 'page':
      return <iframe class="page" sandbox="" src={place} title={name} />;
    case 'image':
      return size > LARGEST_IMAGE ? (
        <p>{WORDS.results.tooLarge(sizeText(LARGEST_IMAGE))}</p>
      ) : (
        <img class="image" src={place} alt={WORDS.results.image(name)} />
      );
    default:
      return <Part kind={kind} place={place} name={name} size={size} />;
  }
}

function Part({ kind, place, name, size }: Props & { readonly kind: 'table' | 'fits' | 'text' }) {
  const text = useSignal<string | undefined>(undefined);
  const trouble = useSignal<Trouble | undefined>(undefined);
  const tries = useSignal(0);
  const most = PART[kind];
  useEffect(() => {
    // Of nothing, no range can be read.
    if (size === 0) {
      text.value = '';
      return undefined;
    }
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const response = await readPart(place, most, stop.signal);
      trouble.value = response.ok ? undefined : await troubleIn(response);
      if (response.ok)
        text.value = new TextDecoder(kind === 'fits' ? 'latin1' : 'utf-8').decode(
          await response.arrayBuffer(),
        );
    };
    read().catch(() => {
      if (!stop.signal.aborted) trouble.value = unreachable;
    });
    return () => stop.abort();
  }, [place, tries.value]);
  if (trouble.value !== undefined)
    return <TroubleBox trouble={trouble.value} again={() => void (tries.value += 1)} />;
  if (text.value === undefined) return <p>{WORDS.shell.loading}</p>;
  const isPart = size > most;
  return (
    <div class="part" tabIndex={0} role="group" aria-label={name}>
      {kind === 'table' && <TableView text={text.value} isPart={isPart} />}
      {kind === 'fits' && <FitsView text={text.value} />}
      {kind === 'text' && <pre>{text.value}</pre>}
      {kind === 'text' && isPart && <p class="over">{WORDS.results.cut}</p>}
    </div>
  );
}

function TableView({ text, isPart }: { readonly text: string; readonly isPart: boolean }) {
  const { rows, isCut } = tableOf(text, isPart);
  const [head = [], ...body] = rows;
  return (
    <>
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, line) => (
            <tr key={line}>
              {row.map((cell, column) => (
                <td key={column}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isCut && <p class="over">{WORDS.results.cut}</p>}
    </>
  );
}

function FitsView({ text }: { readonly text: string }) {
  const cards = fitsCards(text);
  if (cards.length === 0) return <p>{WORDS.results.notFits}</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{WORDS.results.keyword}</th>
          <th scope="col">{WORDS.results.value}</th>
        </tr>
      </thead>
      <tbody>
        {cards.map(({ key, value }, line) => (
          <tr key={line}>
            <td>
              <code>{key}</code>
            </td>
            <td>
              <code>{value}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function readPart(place: string, most: number, signal: AbortSignal): Promise<Response> {
  return open(new Request(place, { headers: { Range: `bytes=0-${most - 1}` }, signal }));
}
