import type { BinaryOp } from '../objects/object.ts';
import type { Cursor } from './cursor.ts';
import { atom } from './atoms.ts';
import { callArguments } from './arguments.ts';
import { parameters } from './parameters.ts';
import { assignable } from './targets.ts';
import type { CompareOperator, Expression } from './tree.ts';

/** Longest run of one operator level (`a + b + ...`, `f()()...`): the tree becomes as deep. */
const MAX_CHAIN = 400;

/** An expression where a tuple needs no brackets and `*x` is allowed: `a, *b`. */
export function expressionList(cursor: Cursor): Expression {
  const at = cursor.at;
  const item = (): Expression =>
    cursor.is('*') ? starOrExpression(cursor) : parseExpression(cursor);
  const first = item();
  if (!cursor.is(','))
    return first.kind === 'starred' ? cursor.fail("can't use starred expression here", at) : first;
  const items = [first];
  while (cursor.accept(',')) {
    if (!startsExpression(cursor)) break;
    items.push(item());
  }
  return { kind: 'tuple', items, at };
}

/** `*x`, or an expression, which may be a walrus. */
export function starOrExpression(cursor: Cursor): Expression {
  const at = cursor.at;
  if (cursor.accept('*')) return { kind: 'starred', value: parseBinary(cursor, 0), at };
  return namedExpression(cursor);
}

/** `name := value`, or a plain expression. */
export function namedExpression(cursor: Cursor): Expression {
  const at = cursor.at;
  const value = parseExpression(cursor);
  if (!cursor.is(':=')) return value;
  if (value.kind !== 'name')
    return cursor.fail('cannot use assignment expressions with anything but a name', at);
  cursor.next();
  assignable(cursor, value);
  return { kind: 'walrus', target: value, value: parseExpression(cursor), at };
}

/** `yield` with its value, from the `yield` on. */
export function yieldExpression(cursor: Cursor): Expression {
  const at = cursor.at;
  cursor.next();
  if (!cursor.context.inFunction) cursor.fail("'yield' outside function", at);
  if (cursor.accept('from')) return { kind: 'yieldFrom', value: parseExpression(cursor), at };
  return {
    kind: 'yield',
    value: startsExpression(cursor) ? expressionList(cursor) : undefined,
    at,
  };
}

/** An expression without a comma: conditional, lambda or below. */
export function parseExpression(cursor: Cursor): Expression {
  return cursor.nested(() => {
    const at = cursor.at;
    if (cursor.accept('lambda')) {
      const list = parameters(cursor, ':', false);
      cursor.expect(':', 'after the parameters of a lambda');
      const body = cursor.within({ inFunction: true, inLoop: false }, () =>
        parseExpression(cursor),
      );
      return { kind: 'lambda', parameters: list, body, at };
    }
    const yes = disjunction(cursor);
    if (!cursor.accept('if')) return yes;
    const test = disjunction(cursor);
    if (!cursor.is('else')) cursor.fail("expected 'else' after 'if' expression", at);
    cursor.next();
    return { kind: 'conditional', test, yes, no: parseExpression(cursor), at };
  });
}

/** `or` level; also the operand after `in` of a comprehension. */
export function disjunction(cursor: Cursor): Expression {
  return chain(cursor, conjunction, () =>
    cursor.accept('or')
      ? (left, right, at) => ({ kind: 'boolean', op: 'or', left, right, at })
      : undefined,
  );
}

type Join = (left: Expression, right: Expression, at: Expression['at']) => Expression;

const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='] as const;

/**
 * Binary operators from loose to tight; `**` binds tighter than all and belongs to the power below.
 */
const LEVELS: readonly (readonly BinaryOp[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '//', '%', '@'],
];

/** Binary operators of at least the given level. */
export function parseBinary(cursor: Cursor, level: number): Expression {
  const operators = LEVELS[level];
  if (operators === undefined) return unary(cursor);
  return chain(
    cursor,
    (inner) => parseBinary(inner, level + 1),
    () => {
      const op = operators.find((candidate) => cursor.accept(candidate));
      return op === undefined
        ? undefined
        : (left, right, at) => ({ kind: 'binary', op, left, right, at });
    },
  );
}

/** Whether the next token can begin an expression; after a trailing comma it cannot. */
function startsExpression(cursor: Cursor): boolean {
  const token = cursor.token();
  switch (token.kind) {
    case 'name':
    case 'number':
    case 'string':
    case 'fstring':
      return true;
    case 'keyword':
      return ['None', 'True', 'False', 'not', 'lambda', 'yield', 'await'].includes(token.text);
    case 'operator':
      return ['(', '[', '{', '-', '+', '~', '*', '...'].includes(token.text);
    default:
      return false;
  }
}

function chain(
  cursor: Cursor,
  operand: (cursor: Cursor) => Expression,
  operator: () => Join | undefined,
): Expression {
  let left = operand(cursor);
  for (let length = 0; ; length += 1) {
    const at = cursor.at;
    const join = operator();
    if (join === undefined) return left;
    if (length > MAX_CHAIN) cursor.fail('too many operators in one expression', at);
    left = join(left, operand(cursor), left.at);
  }
}

function conjunction(cursor: Cursor): Expression {
  return chain(cursor, inversion, () =>
    cursor.accept('and')
      ? (left, right, at) => ({ kind: 'boolean', op: 'and', left, right, at })
      : undefined,
  );
}

function inversion(cursor: Cursor): Expression {
  const at = cursor.at;
  if (!cursor.accept('not')) return comparison(cursor);
  return cursor.nested(() => ({ kind: 'unary', op: 'not', operand: inversion(cursor), at }));
}

function comparison(cursor: Cursor): Expression {
  const first = parseBinary(cursor, 0);
  const rest: { op: CompareOperator; value: Expression }[] = [];
  for (let op = comparisonOperator(cursor); op !== undefined; op = comparisonOperator(cursor)) {
    if (rest.length > MAX_CHAIN) cursor.fail('too many operators in one expression');
    rest.push({ op, value: parseBinary(cursor, 0) });
  }
  return rest.length === 0 ? first : { kind: 'compare', first, rest, at: first.at };
}

function comparisonOperator(cursor: Cursor): CompareOperator | undefined {
  const plain = COMPARISONS.find((op) => cursor.accept(op));
  if (plain !== undefined) return plain;
  if (cursor.accept('in')) return 'in';
  if (cursor.accept('is')) return cursor.accept('not') ? 'is not' : 'is';
  if (!cursor.is('not') || !cursor.is('in', 1)) return undefined;
  cursor.next();
  cursor.next();
  return 'not in';
}

function unary(cursor: Cursor): Expression {
  const at = cursor.at;
  const op = (['-', '+', '~'] as const).find((candidate) => cursor.accept(candidate));
  if (op !== undefined)
    return cursor.nested(() => ({ kind: 'unary', op, operand: unary(cursor), at }));
  const base = primary(cursor);
  if (!cursor.accept('**')) return base;
  return cursor.nested(() => ({
    kind: 'binary',
    op: '**',
    left: base,
    right: unary(cursor),
    at: base.at,
  }));
}

/** An atom with its calls, attributes and subscripts. */
function primary(cursor: Cursor): Expression {
  let value = atom(cursor);
  const { at } = value;
  for (let length = 0; ; length += 1) {
    if (length > MAX_CHAIN)
      cursor.fail('too many calls, attributes and subscripts in one expression');
    if (cursor.accept('.'))
      value = {
        kind: 'attribute',
        object: value,
        name: cursor.name("an attribute name after '.'"),
        at,
      };
    else if (cursor.accept('('))
      value = { kind: 'call', callee: value, args: callArguments(cursor), at };
    else if (cursor.accept('['))
      value = { kind: 'subscript', object: value, index: subscript(cursor), at };
    else return value;
  }
}

function subscript(cursor: Cursor): Expression {
  const at = cursor.at;
  const items = [subscriptItem(cursor)];
  let isTuple = items[0]?.kind === 'starred';
  while (cursor.accept(',')) {
    isTuple = true;
    if (cursor.is(']')) break;
    items.push(subscriptItem(cursor));
  }
  cursor.expect(']', 'at the end of the subscript');
  const [first] = items;
  return isTuple || first === undefined ? { kind: 'tuple', items, at } : first;
}

function subscriptItem(cursor: Cursor): Expression {
  const at = cursor.at;
  const start = cursor.is(':') ? undefined : starOrExpression(cursor);
  if (!cursor.accept(':')) return start ?? cursor.unexpected();
  const ends = (): boolean => cursor.is(':') || cursor.is(']') || cursor.is(',');
  const stop = ends() ? undefined : parseExpression(cursor);
  const step = cursor.accept(':') && !ends() ? parseExpression(cursor) : undefined;
  return { kind: 'slice', start, stop, step, at };
}
