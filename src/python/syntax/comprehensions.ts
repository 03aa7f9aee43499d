import type { Cursor } from './cursor.ts';
import { parseBinary, disjunction, namedExpression, starOrExpression } from './expressions.ts';
import { assignable } from './targets.ts';
import type { TokenPosition } from './token.ts';
import type { ComprehensionClause, Comprehension, Expression } from './tree.ts';

/** Whether `for` (or the unsupported `async for`) follows an element. */
export function startsComprehension(cursor: Cursor): boolean {
  if (cursor.is('async')) cursor.fail("'async' is not supported");
  return cursor.is('for');
}

/** `for ... in ... if ...` after an element; leaves the closing bracket. */
export function parseComprehension(
  cursor: Cursor,
  of: Comprehension['of'],
  element: Expression,
  value: Expression | undefined,
  at: TokenPosition,
): Comprehension {
  if (element.kind === 'starred')
    cursor.fail('iterable unpacking cannot be used in comprehension', element.at);
  const clauses: ComprehensionClause[] = [];
  while (startsComprehension(cursor)) clauses.push(cursor.nested(() => clause(cursor)));
  return { kind: 'comprehension', of, element, value, clauses, at };
}

/** The target of `for`, up to its `in`: `x`, `a, b`, `(k, *rest)`. */
export function targetList(cursor: Cursor): Expression {
  const at = cursor.at;
  const item = (): Expression =>
    cursor.is('*') ? starOrExpression(cursor) : parseBinary(cursor, 0);
  const first = item();
  const items = [first];
  let isTuple = false;
  while (cursor.accept(',')) {
    isTuple = true;
    if (cursor.is('in') || cursor.is('=')) break;
    items.push(item());
  }
  const target: Expression = isTuple ? { kind: 'tuple', items, at } : first;
  assignable(cursor, target);
  return target;
}

function clause(cursor: Cursor): ComprehensionClause {
  cursor.next();
  const target = targetList(cursor);
  cursor.expect('in', "after the target of 'for'");
  const iterable = disjunction(cursor);
  const conditions: Expression[] = [];
  while (cursor.accept('if')) conditions.push(condition(cursor));
  return { target, iterable, conditions };
}

function condition(cursor: Cursor): Expression {
  return cursor.isKind('name') && cursor.is(':=', 1)
    ? namedExpression(cursor)
    : disjunction(cursor);
}
