import { Cursor } from './cursor.ts';
import { expressionList, yieldExpression } from './expressions.ts';
import type { FieldPart } from './token.ts';
import type { Expression, FStringPart } from './tree.ts';

/**
 * Adjacent string literals as one expression; one f-string among them makes the whole an f-string.
 */
export function joinStrings(cursor: Cursor): Expression {
  const at = cursor.at;
  const parts: FStringPart[] = [];
  let isFormatted = false;
  for (
    let token = cursor.token();
    token.kind === 'string' || token.kind === 'fstring';
    token = cursor.token()
  ) {
    cursor.next();
    if (token.kind === 'string') parts.push(token.value);
    else parts.push(...token.parts.flatMap((part) => fieldOf(part, cursor)));
    isFormatted ||= token.kind === 'fstring';
  }
  const joined = merged(parts);
  const [only = ''] = joined;
  if (!isFormatted && typeof only === 'string') return { kind: 'string', value: only, at };
  return { kind: 'fstring', parts: joined, at };
}

function fieldOf(part: FieldPart, outer: Cursor): FStringPart[] {
  if (part.kind === 'text') return [part.text];
  const cursor = new Cursor(part.tokens);
  cursor.context = outer.context;
  const value = cursor.is('yield') ? yieldExpression(cursor) : expressionList(cursor);
  if (!cursor.isKind('newline'))
    cursor.fail('f-string: invalid syntax: expecting "=", "!", ":" or "}"');
  const spec = part.spec?.flatMap((inner) => fieldOf(inner, cursor));
  const conversion =
    part.conversion ?? (part.debug !== undefined && spec === undefined ? 'r' : undefined);
  const field = { value, conversion, spec };
  return part.debug === undefined ? [field] : [part.debug, field];
}

function merged(parts: readonly FStringPart[]): FStringPart[] {
  const joined: FStringPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part;
    else joined.push(part);
  }
  return joined;
}
