import { bad } from './error.ts';

/** The flags that change the meaning of a pattern here. */
export type ModuleFlags = {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
  readonly ascii: boolean;
};

/** Letters of flags inside a pattern: `(?i)`, or `(?i-m:` for a part of it. */
type Letters = { readonly on: string; readonly off: string; readonly isForAll: boolean };

const NAMES: Readonly<Record<string, keyof ModuleFlags>> = {
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  x: 'verbose',
  a: 'ascii',
};
const LETTER = /^[aiLmsux]$/;

/** Classes of characters as text between the brackets of a set. */
const ASCII: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_', s: ' \\t-\\r' };
const UNICODE: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  w: '\\p{L}\\p{N}_',
  s: '\\p{White_Space}\\x1c-\\x1f',
};

/** What `\d`, `\w` or `\s` has; `undefined` for other letters. */
export function charactersOf(letter: string, { ascii }: ModuleFlags): string | undefined {
  return (ascii ? ASCII : UNICODE)[letter];
}

/** Where a word begins or ends. */
export function boundary(flags: ModuleFlags): string {
  const word = `[${charactersOf('w', flags) ?? ''}]`;
  return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
}

/** Python finds neither `\b` nor `\B` in an empty text. */
export function noBoundary(flags: ModuleFlags): string {
  const word = `[${charactersOf('w', flags) ?? ''}]`;
  return `(?!^$)(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`;
}

/** The flags with those of some letters on and others off. `u` is the default. */
export function withLetters(flags: ModuleFlags, on: string, off: string): ModuleFlags {
  const made = { ...flags };
  for (const letter of on + off) {
    const name = NAMES[letter];
    if (name !== undefined) made[name] = on.includes(letter);
    else if (letter === 'u') made.ascii = false;
  }
  return made;
}

/**
 * Reads the letters of flags behind `(?`, and the `)` or `:` at their end.
 * @throws PatternProblem
 */
export function readLetters(text: string, from: number): Letters & { readonly end: number } {
  let at = from;
  const letters = (ends: string, missing: string): string => {
    const first = at;
    for (; !ends.includes(text.charAt(at)) || at >= text.length; at += 1) {
      if (at >= text.length) bad(missing, at);
      const letter = text.charAt(at);
      if (!LETTER.test(letter)) bad(/\p{L}/u.test(letter) ? 'unknown flag' : missing, at);
    }
    return text.slice(first, at);
  };
  const on = text.charAt(at) === '-' ? '' : letters(')-:', 'missing -, : or )');
  checkKinds(on, at);
  const end = text.charAt(at);
  at += 1;
  if (end !== '-') return { on, off: '', isForAll: end === ')', end: at };
  if (!LETTER.test(text.charAt(at)))
    bad(/\p{L}/u.test(text.charAt(at)) ? 'unknown flag' : 'missing flag', at);
  const off = letters(':', 'missing :');
  if (/[aLu]/.test(off)) bad("bad inline flags: cannot turn off flags 'a', 'u' and 'L'", at);
  if ([...off].some((letter) => on.includes(letter)))
    bad('bad inline flags: flag turned on and off', at);
  return { on, off, isForAll: false, end: at + 1 };
}

/** @throws PatternProblem for letters that say how characters are encoded, beside another */
function checkKinds(on: string, at: number): void {
  if (on.includes('L')) bad("bad inline flags: cannot use 'L' flag with a str pattern", at);
  if (on.includes('a') && on.includes('u'))
    bad("bad inline flags: flags 'a', 'u' and 'L' are incompatible", at);
}
