import { PySyntaxError } from './error.ts';
import { Cursor } from './cursor.ts';
import { statements } from './statements.ts';
import { tokenize } from './tokenize.ts';
import type { Expression, Statement } from './tree.ts';

/**
 * The kind of a snippet: statements with a final expression, statements, or the text of an
 * f-string.
 */
export type SnippetGrammar = 'code' | 'exec' | 'fstring';

/** A parsed snippet. `value` is the final expression of `code` and `fstring`. */
export type ParsedSnippet = {
  readonly body: readonly Statement[];
  readonly value: Expression | undefined;
};

/** Longest snippet in UTF-16 units; the longest known one has 5,000. */
const MAX_SOURCE = 100_000;
/** How TPV wraps the text of an f-string (evaluator of TPV 3, `f'''...'''`). */
const OPENING = "f'''";

/** Text to tree. Errors have the line and column of the user's text. @throws PySyntaxError */
export function parse(source: string, kind: SnippetGrammar): ParsedSnippet {
  if (source.length > MAX_SOURCE)
    throw new PySyntaxError(`the text is longer than ${MAX_SOURCE} characters`, 1, 1);
  const lines = source.replace(/\r\n?/g, '\n').replace(/^\uFEFF/, '');
  const text = kind === 'fstring' ? `${OPENING}${lines}'''` : lines;
  const body = statements(new Cursor(tokenize(text, kind === 'fstring' ? OPENING.length : 0)));
  if (kind === 'exec') return { body, value: undefined };
  const last = body.at(-1);
  if (last === undefined)
    throw new PySyntaxError('expected an expression, not an empty text', 1, 1, 'IndexError');
  if (last.kind !== 'expression') {
    throw new PySyntaxError(
      'the last statement must be an expression: its value is the result',
      last.at.line,
      last.at.column,
      'AssertionError',
    );
  }
  return { body: body.slice(0, -1), value: last.value };
}
