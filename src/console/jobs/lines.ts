import { colour, PLAIN, type Piece } from './colours.ts';

/** A line of a log in its colours. */
export type Line = readonly Piece[];

/** What changed since the last look. */
export type Changes = {
  /** lines that are complete now */
  readonly added: readonly Line[];
  /** the line that is being written; empty after a line end */
  readonly open: Line;
};

/** Longer lines are cut: a browser lays out a line of a megabyte for seconds. */
const LONGEST = 5000;
/** Of a line that goes on: enough to tell that it is longer. */
const KEPT = LONGEST + 1;

/** Makes lines of the text of a log, which may come cut anywhere. Progress bars collapse. */
export function openLines() {
  let rest = '';
  let pen = PLAIN;
  let added: Line[] = [];
  let count = 0;
  return {
    push: (text: string): void => {
      const parts = (rest + text).split('\n');
      rest = shortened(writtenLast(parts.pop() ?? ''));
      for (const part of parts) {
        const { pieces, pen: next } = colour(visible(part), pen);
        pen = next;
        added.push(pieces);
        count += 1;
      }
    },
    /** The changes since the last call. */
    take: (): Changes => {
      const changes = { added, open: colour(visible(rest), pen).pieces };
      added = [];
      return changes;
    },
    /** number of lines so far */
    count: (): number => count + (rest === '' ? 0 : 1),
  };
}

/** What a terminal shows of a line: what was written last after a carriage return. */
function visible(line: string): string {
  const last = writtenLast(line).replace(/\r+$/, '');
  return last.length > LONGEST ? `${last.slice(0, LONGEST)} …` : last;
}

/** A line without what nobody will see of it: a job may write megabytes without a line end. */
function shortened(line: string): string {
  if (line.length <= KEPT) return line;
  return line.slice(0, KEPT) + (line.endsWith('\r') ? '\r' : '');
}

/** A line without what was overwritten; carriage returns at its end overwrite nothing yet. */
function writtenLast(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return end === 0 ? line : line.slice(line.lastIndexOf('\r', end - 1) + 1);
}
