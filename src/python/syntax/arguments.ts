import { parseComprehension, startsComprehension } from './comprehensions.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression, namedExpression } from './expressions.ts';
import type { Argument } from './tree.ts';

/**
 * The arguments of a call, or the bases of a class, where a generator expression is not allowed;
 * from behind `(` through `)`.
 */
export function callArguments(cursor: Cursor, isClass = false): Argument[] {
  return cursor.nested(() => {
    const args: Argument[] = [];
    while (!cursor.is(')')) {
      const at = cursor.at;
      const arg = argument(cursor);
      const bare = arg.kind === 'positional' && startsComprehension(cursor);
      if (bare && isClass) cursor.fail('invalid syntax', at);
      if (bare)
        args.push({
          kind: 'positional',
          value: parseComprehension(cursor, 'generator', arg.value, undefined, at),
        });
      else args.push(arg);
      checkOrder(cursor, args, at);
      if (bare && (args.length > 1 || cursor.is(','))) {
        cursor.fail('Generator expression must be parenthesized', at);
      }
      if (!cursor.accept(',')) break;
    }
    cursor.expect(')', 'at the end of the arguments');
    return args;
  });
}

function argument(cursor: Cursor): Argument {
  if (cursor.accept('*')) return { kind: 'star', value: parseExpression(cursor) };
  if (cursor.accept('**')) return { kind: 'doubleStar', value: parseExpression(cursor) };
  if (cursor.is('=', 1)) {
    const token = cursor.token();
    if (token.kind !== 'name')
      cursor.fail('expression cannot contain assignment, perhaps you meant "=="?');
    cursor.next();
    cursor.next();
    return {
      kind: 'keyword',
      name: token.kind === 'name' ? token.text : '',
      value: parseExpression(cursor),
    };
  }
  const value = namedExpression(cursor);
  if (cursor.is('='))
    cursor.fail('expression cannot contain assignment, perhaps you meant "=="?', value.at);
  return { kind: 'positional', value };
}

function checkOrder(
  cursor: Cursor,
  args: readonly Argument[],
  at: { line: number; column: number },
): void {
  const last = args.at(-1);
  const before = args.slice(0, -1);
  if (last?.kind === 'positional') {
    if (before.some((arg) => arg.kind === 'doubleStar'))
      cursor.fail('positional argument follows keyword argument unpacking', at);
    if (before.some((arg) => arg.kind === 'keyword'))
      cursor.fail('positional argument follows keyword argument', at);
  }
  if (last?.kind === 'star' && before.some((arg) => arg.kind === 'doubleStar')) {
    cursor.fail('iterable argument unpacking follows keyword argument unpacking', at);
  }
  if (
    last?.kind === 'keyword' &&
    before.some((arg) => arg.kind === 'keyword' && arg.name === last.name)
  ) {
    cursor.fail(`keyword argument repeated: ${last.name}`, at);
  }
}
