import { invalidPattern } from './error.ts';

/** The characters of a template one by one; a backslash comes with the character after it. */
export type TemplateTokens = {
  readonly text: string;
  /** Where the next token starts, in characters. */
  readonly place: number;
  /** The next token; `undefined` at the end. */
  take(): string | undefined;
  /** The next token when it matches; else an empty text. */
  takeIf(kind: RegExp): string;
};

/** @throws re.error for a backslash at the very end, once the token before it is taken */
export function templateTokens(template: string): TemplateTokens {
  const characters = Array.from(template);
  const tokenAt = (at: number): string | undefined => {
    const c = characters[at];
    if (c !== '\\') return c;
    const behind = characters[at + 1];
    if (behind === undefined) throw invalidPattern('bad escape (end of pattern)', template, at);
    return c + behind;
  };
  const lengthOf = (token: string | undefined): number =>
    token === undefined ? 0 : token.startsWith('\\') ? 2 : 1;
  let at = 0;
  let next = tokenAt(0);
  const advance = (): void => {
    at += lengthOf(next);
    next = tokenAt(at);
  };
  return {
    text: template,
    get place() {
      return at;
    },
    take: () => {
      const token = next;
      advance();
      return token;
    },
    takeIf: (kind) => {
      const token = next;
      if (token === undefined || !kind.test(token)) return '';
      advance();
      return token;
    },
  };
}
