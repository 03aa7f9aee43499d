import {
  numberQuantity,
  textQuantity,
  type Quantity,
  type Refusal,
} from '../../planner/refusal.ts';
import { shown } from '../../tasks/task.ts';
import {
  boundOfCores,
  boundOfSize,
  MAX_MEBIBYTES,
  readMebibytes,
  type Bound,
  type Mebibytes,
  type Millicores,
} from '../../words/units.ts';
import { suggest } from '../../yaml/suggest.ts';

/** A refusal that names its place in the words of the document. */
export type ReadFault = Omit<Refusal, 'place' | 'detail'> & {
  readonly path: string;
  readonly detail?: string;
};

/** Collects the reasons why an ask is not understood, until there are as many as an answer has. */
export type Notes = {
  readonly note: (fault: ReadFault) => undefined;
  readonly isFull: () => boolean;
};

/** Further faults help nobody, and each one that is kept takes ten times the client's text. */
const MOST_FAULTS = 100;
const MAX_CORES = 1_000_000;

/** Gathers what is noted, up to 100: a record keeps each, and nobody reads more. */
export function openNotes(): { readonly notes: Notes; readonly refusals: Refusal[] } {
  const refusals: Refusal[] = [];
  const notes: Notes = {
    note: ({ path, ...fault }) => {
      if (refusals.length < MOST_FAULTS)
        refusals.push({ ...fault, place: { what: 'written', path } });
      return undefined;
    },
    isFull: () => refusals.length >= MOST_FAULTS,
  };
  return { notes, refusals };
}

/**
 * Notes every key that is not known; nothing is ignored.
 *
 * @param guess what a client may mean
 */
export function noteUnknownKeys(
  notes: Notes,
  value: object,
  known: readonly string[],
  path: string,
  guess: (key: string, known: readonly string[]) => string = guessKey,
): void {
  for (const key of Object.keys(value)) {
    // Guesses for each of 20,000 keys would delay other asks.
    if (notes.isFull()) return;
    if (known.includes(key)) continue;
    notes.note({
      code: 'unknown-key',
      path: path === '' ? shown(key) : `${path}.${shown(key)}`,
      detail: `${guess(key, known)}Known here: ${known.join(', ')}.`,
    });
  }
}

/** A guess at a typing error: a sentence with a space after it, or nothing. */
export function guessKey(key: string, known: readonly string[]): string {
  const near = suggest(key, known);
  return near === undefined ? '' : `Did you mean ${near}? `;
}

/** A positive number of cores or GPUs. */
export function noteAmount(
  notes: Notes,
  value: number | undefined,
  path: string,
): number | undefined {
  if (value === undefined) return undefined;
  if (value <= 0)
    return notes.note({ code: 'amount-not-positive', path, asked: numberQuantity(value) });
  if (value > MAX_CORES)
    return notes.note({
      code: 'amount-too-large',
      path,
      asked: numberQuantity(value),
      limit: numberQuantity(MAX_CORES),
    });
  return value;
}

/** A bound in cores to millicores. */
export function noteCores(
  notes: Notes,
  value: number | undefined,
  path: string,
  bound: Bound,
): Millicores | undefined {
  const cores = noteAmount(notes, value, path);
  return cores === undefined
    ? undefined
    : positiveAmount(
        notes,
        boundOfCores(cores, bound),
        path,
        numberQuantity(cores),
        'thousandths of a core',
      );
}

/** A size such as `16Gb`, or a bound of one, to MiB. */
export function noteSize(
  notes: Notes,
  value: string | number | undefined,
  path: string,
  bound: Bound = 'least',
): Mebibytes | undefined {
  if (value === undefined) return undefined;
  const size = readMebibytes(value);
  const asked = typeof value === 'number' ? numberQuantity(value) : textQuantity(shown(value));
  if (size === undefined) {
    const detail = 'A size is a number with Gb, GiB, MiB, TiB and so on, or a bare number of GiB.';
    return notes.note({ code: 'amount-unreadable', path, asked, detail });
  }
  if (size <= 0) return notes.note({ code: 'amount-not-positive', path, asked });
  if (size > MAX_MEBIBYTES)
    return notes.note({
      code: 'amount-too-large',
      path,
      asked: textQuantity(shown(`${value}`)),
      limit: textQuantity('1EiB'),
    });
  return positiveAmount(notes, boundOfSize(size, bound), path, asked, 'MiB');
}

/** An offer cannot keep to a maximum that is rounded down to 0. */
function positiveAmount<Unit extends number>(
  notes: Notes,
  amount: Unit,
  path: string,
  asked: Quantity,
  unit: string,
): Unit | undefined {
  return amount > 0
    ? amount
    : notes.note({
        code: 'amount-not-positive',
        path,
        asked,
        detail: `A maximum is rounded down to whole ${unit}.`,
      });
}
