import { noteUnknownKeys, type Notes } from '../reading/notes.ts';
import { didYouMean } from './did-you-mean.ts';

/** Notes every key that is not known; nothing is ignored. */
export function unknownKeys(
  notes: Notes,
  value: object,
  known: readonly string[],
  path: string,
): void {
  noteUnknownKeys(notes, value, known, path, didYouMean);
}
