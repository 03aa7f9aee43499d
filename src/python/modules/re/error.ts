import type { PyError } from '../../errors.ts';
import { exceptionClass } from '../../objects/classes/exceptions.ts';
import type { PyClass } from '../../objects/class.ts';
import { madeError, placedIn, withInit } from '../../objects/classes/exception-data.ts';
import { codePoints } from '../../objects/protocol.ts';

/** The exception `re.error`. */
export const regexError: PyClass = exceptionClass('error', undefined, 're');

withInit(regexError, '__init__(msg, pattern=, pos=)', (msg = null, pattern, pos) => {
  const place = placedIn(pattern ?? null, pos ?? null);
  const at = place === undefined ? '' : ` at position ${place.pos}`;
  const isLong = place !== undefined && typeof pattern === 'string' && pattern.includes('\n');
  const line = isLong ? ` (line ${place.lineno}, column ${place.colno})` : '';
  return {
    args: [typeof msg === 'string' ? msg + at + line : msg],
    attributes: {
      msg,
      pattern: pattern ?? null,
      pos: pos ?? null,
      lineno: place?.lineno ?? null,
      colno: place?.colno ?? null,
    },
  };
});

/** What is wrong with a pattern, and where, in UTF-16 units, if it is at one place. */
export class PatternProblem extends Error {
  readonly reason: string;
  readonly at: number | undefined;

  constructor(reason: string, at?: number) {
    super(at === undefined ? reason : `${reason} at position ${at}`);
    this.reason = reason;
    this.at = at;
  }
}

/** @throws PatternProblem */
export function bad(message: string, at: number): never {
  throw new PatternProblem(message, at);
}

/** The `re.error` of a problem in `text`; `at` is in characters. */
export function invalidPattern(message: string, text: string, at?: number): PyError {
  return madeError(regexError, at === undefined ? [message] : [message, text, at]);
}

/** The `re.error` of whatever went wrong with a pattern. */
export function regexErrorOf(error: unknown, text: string): PyError {
  if (!(error instanceof PatternProblem))
    return invalidPattern(error instanceof Error ? error.message : 'bad pattern', text);
  const at = error.at === undefined ? undefined : codePoints(text.slice(0, error.at));
  return invalidPattern(error.reason, text, at);
}
