import { characterAt, escapedCharacter, plain, literalOf } from './characters.ts';
import { bad } from './error.ts';
import { charactersOf } from './flags.ts';
import type { ModuleFlags } from './flags.ts';

/**
 * A set under construction: the inside of JavaScript's brackets, and the complements that must
 * stand outside them.
 */
type SetParts = { inside: string; readonly others: string[] };

/** A member of a set; `code` when it is one character. `told` is what messages call it. */
type Member = {
  readonly told: string;
  readonly end: number;
  readonly code: number | undefined;
  readonly source: string;
  /** Whether `source` stands outside the brackets. */
  readonly isOther: boolean;
};

/**
 * Reads the set whose `[` is at `open` and gives it as JavaScript, with the place behind it.
 * @throws PatternProblem
 */
export function readSet(
  text: string,
  open: number,
  flags: ModuleFlags,
): { readonly source: string; readonly end: number } {
  const isNegated = text[open + 1] === '^';
  const first = open + (isNegated ? 2 : 1);
  const set: SetParts = { inside: '', others: [] };
  for (let at = first; ;) {
    if (at > first && text[at] === ']') return { source: setSource(set, isNegated), end: at + 1 };
    const low = member(text, at, open, flags);
    if (text[low.end] !== '-' || text[low.end + 1] === ']') {
      put(set, low);
      at = low.end;
    } else {
      const high = member(text, low.end + 1, open, flags);
      if (low.code === undefined || high.code === undefined || high.code < low.code)
        bad(
          `bad character range ${low.told}-${high.told}`,
          high.end - low.told.length - 1 - high.told.length,
        );
      set.inside += `${low.source}-${high.source}`;
      at = high.end;
    }
  }
}

function put(set: SetParts, { source, isOther }: Member): void {
  if (isOther) set.others.push(source);
  else set.inside += source;
}

function member(text: string, at: number, open: number, flags: ModuleFlags): Member {
  const c = characterAt(text, at);
  if (c === '') bad('unterminated character set', open);
  if (c !== '\\') {
    const code = c.codePointAt(0);
    return { told: c, end: at + c.length, code, source: plain(c), isOther: false };
  }
  const letter = characterAt(text, at + 1);
  const told = c + letter;
  const end = at + told.length;
  const members = charactersOf(letter.toLowerCase(), flags);
  if (members !== undefined) {
    const isOther = letter !== letter.toLowerCase();
    return { told, end, code: undefined, source: isOther ? `[^${members}]` : members, isOther };
  }
  const read = letter === 'b' ? { code: 8, end } : escapedCharacter(text, at);
  return { told, ...read, source: literalOf(read.code), isOther: false };
}

function setSource({ inside, others }: SetParts, isNegated: boolean): string {
  if (others.length === 0) return `[${isNegated ? '^' : ''}${inside}]`;
  const any = [...(inside === '' ? [] : [`[${inside}]`]), ...others].join('|');
  return isNegated ? `(?:(?!${any})[\\s\\S])` : `(?:${any})`;
}
