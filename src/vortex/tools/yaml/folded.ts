import { WIDTH } from './page.ts';
import type { Page } from './page.ts';

/** Marks a line break of a folded text: a character that no YAML text may hold. */
export const FOLD = '\x07';

/**
 * A folded text with FOLD before each space that was a line break in the file. ruamel.yaml forgets
 * those beside another space. `lines` are its lines in the file, without indentation.
 */
export function withFolds(text: string, lines: readonly string[]): string {
  let marked = '';
  let from = 0;
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    at += line.length;
    const isFold = next !== undefined && begins(line) && begins(next);
    if (
      isFold &&
      text[at] === ' ' &&
      !/\s/.test(text[at - 1] ?? ' ') &&
      !/\s/.test(text[at + 1] ?? ' ')
    ) {
      marked += `${text.slice(from, at)}${FOLD}`;
      from = at;
    }
    // Between two lines that begin with text, the first of several line breaks adds nothing.
    const isSilent =
      next === '' &&
      begins(line) &&
      begins(lines.slice(index + 1).find((other) => other !== '') ?? '');
    if (!isSilent) at += 1;
  }
  return marked + text.slice(from);
}

/** A text cut into runs of spaces, of line breaks, of single folds and of everything else. */
const BREAKS = '\n\u0085\u2028\u2029';
const RUNS = new RegExp(`${FOLD}| +|[${BREAKS}]+|[^ ${BREAKS}${FOLD}]+`, 'g');

/**
 * The body of a folded block: folds where they were, and at single spaces beyond the width. A line
 * break between two lines that begin with text is written twice, or it would be read as a space.
 */
export function writeFolds(page: Page, marked: string): void {
  let isIndentedText = true;
  let from = 0;
  const runs = marked.match(RUNS) ?? [];
  for (const [index, run] of runs.entries()) {
    from += run.length;
    const last = from === marked.length;
    const next = marked.charAt(from);
    if (run === FOLD) {
      page.break();
      page.line();
    } else if (run.startsWith(' ')) {
      if (runs[index - 1] === FOLD) continue;
      if (index === 0) page.line();
      const isBetweenWords =
        index > 0 && !isBreak(runs[index - 1] ?? '') && !last && !isBreak(next);
      if (run === ' ' && page.column > WIDTH && isBetweenWords) page.line();
      else page.put(run);
    } else if (isBreak(run)) {
      if (!isIndentedText && !last && next !== ' ' && run.startsWith('\n')) page.break();
      isIndentedText = next === ' ';
      for (const character of run) page.break(character === '\n' ? undefined : character);
      if (!last) page.line();
    } else {
      if (index === 0) {
        page.line();
        isIndentedText = false;
      }
      page.put(run);
      if (last) page.break();
    }
  }
}

function begins(line: string): boolean {
  return line !== '' && !/^[ \t]/.test(line);
}

function isBreak(run: string): boolean {
  return run !== '' && BREAKS.includes(run.charAt(0));
}
