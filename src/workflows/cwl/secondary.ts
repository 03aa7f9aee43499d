import { isRecord } from '../../words/record.ts';
import { LONGEST_ADDRESS } from './address.ts';

/** The most patterns of one input; an interpreter that misses a file says so. */
const MOST_PATTERNS = 10;

/**
 * The addresses of files that belong to the default of an input. An interpreter looks for them
 * beside it, where only those are that were fetched.
 */
export function besideDefault(input: Readonly<Record<string, unknown>>): readonly string[] {
  const patterns = listOf(input['secondaryFiles']).slice(0, MOST_PATTERNS).flatMap(patternIn);
  if (patterns.length === 0) return [];
  return listOf(input['default']).flatMap((file) => {
    if (!isRecord(file) || file['class'] !== 'File') return [];
    const place = file['location'] ?? file['path'];
    // A longer one is refused for itself.
    return typeof place === 'string' && place.length <= LONGEST_ADDRESS && !/[?#]/.test(place)
      ? patterns.map(({ extensions, end }) => `${without(place, extensions)}${end}`)
      : [];
  });
}

/** `^.bai` takes one extension away and appends another. */
type Pattern = { readonly extensions: number; readonly end: string };

/** Expressions are for the interpreter alone. */
function patternIn(value: unknown): readonly Pattern[] {
  const text = isRecord(value) ? value['pattern'] : value;
  const found = typeof text === 'string' ? /^(\^{0,5})([^^$?/]{1,100})\??$/.exec(text) : null;
  const [, carets = '', end = ''] = found ?? [];
  return found === null ? [] : [{ extensions: carets.length, end }];
}

function without(place: string, extensions: number): string {
  let short = place;
  for (let count = 0; count < extensions; count += 1) {
    const dot = short.lastIndexOf('.');
    if (dot > short.lastIndexOf('/')) short = short.slice(0, dot);
  }
  return short;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
