import type { Cursor } from './cursor.ts';
import { parseComprehension, startsComprehension } from './comprehensions.ts';
import {
  parseExpression,
  namedExpression,
  starOrExpression,
  yieldExpression,
  parseBinary,
} from './expressions.ts';
import { joinStrings } from './strings.ts';
import type { Expression } from './tree.ts';
import { shownToken } from './token.ts';

/** The smallest expressions: names, literals and displays. */
export function atom(cursor: Cursor): Expression {
  const token = cursor.token();
  const { at } = token;
  switch (token.kind) {
    case 'name':
      cursor.next();
      return { kind: 'name', id: token.text, at };
    case 'number':
      cursor.next();
      return { kind: 'number', value: token.value, isFloat: token.isFloat, at };
    case 'string':
    case 'fstring':
      return joinStrings(cursor);
    case 'keyword':
      return keyword(cursor, token.text);
    case 'operator':
      if (cursor.accept('(')) return cursor.nested(() => parenthesised(cursor));
      if (cursor.accept('[')) return cursor.nested(() => list(cursor));
      if (cursor.accept('{')) return cursor.nested(() => braces(cursor));
      if (cursor.accept('...')) return { kind: 'constant', value: '...', at };
      return cursor.unexpected();
    case 'newline':
    case 'end':
    case 'dedent':
      return cursor.fail(`expected an expression, not ${shownToken(token)}`);
    case 'indent':
      return cursor.unexpected();
    default:
      return token satisfies never;
  }
}

const CONSTANTS: Readonly<Record<string, null | boolean>> = {
  None: null,
  True: true,
  False: false,
};

function keyword(cursor: Cursor, text: string): Expression {
  const value = CONSTANTS[text];
  if (value === undefined) {
    if (text === 'await' || text === 'async') cursor.fail(`'${text}' is not supported`);
    if (text === 'yield')
      cursor.fail("'yield' is only allowed in parentheses, in an assignment or as a statement");
    return cursor.unexpected();
  }
  const { at } = cursor.next();
  return { kind: 'constant', value, at };
}

function parenthesised(cursor: Cursor): Expression {
  const at = cursor.at;
  if (cursor.accept(')')) return { kind: 'tuple', items: [], at };
  if (cursor.is('yield')) {
    const value = yieldExpression(cursor);
    cursor.expect(')', 'after yield');
    return value;
  }
  const first = starOrExpression(cursor);
  if (startsComprehension(cursor)) {
    const made = parseComprehension(cursor, 'generator', first, undefined, at);
    cursor.expect(')', 'at the end of the generator expression');
    return made;
  }
  if (!cursor.is(',')) {
    cursor.expect(')', 'to close the parenthesis');
    return first.kind === 'starred' ? cursor.fail('cannot use starred expression here', at) : first;
  }
  const items = [first, ...more(cursor, ')')];
  cursor.expect(')', 'at the end of the tuple');
  return { kind: 'tuple', items, at };
}

/** The rest of a display, from the comma after its first item; leaves the closing bracket. */
function more(cursor: Cursor, close: string): Expression[] {
  const items: Expression[] = [];
  while (cursor.accept(',') && !cursor.is(close)) items.push(starOrExpression(cursor));
  return items;
}

function list(cursor: Cursor): Expression {
  const at = cursor.at;
  if (cursor.accept(']')) return { kind: 'list', items: [], at };
  const first = starOrExpression(cursor);
  const made: Expression = startsComprehension(cursor)
    ? parseComprehension(cursor, 'list', first, undefined, at)
    : { kind: 'list', items: [first, ...more(cursor, ']')], at };
  cursor.expect(']', 'at the end of the list');
  return made;
}

function braces(cursor: Cursor): Expression {
  const at = cursor.at;
  if (cursor.accept('}')) return { kind: 'dict', pairs: [], at };
  const first = cursor.is('**') ? undefined : starOrExpression(cursor);
  const made = first === undefined || cursor.is(':') ? dict(cursor, first) : set(cursor, first);
  cursor.expect('}', `at the end of the ${made.kind === 'dict' ? 'dictionary' : 'set'}`);
  return made;
}

function dict(cursor: Cursor, key: Expression | undefined): Expression {
  const at = cursor.at;
  const first = pair(cursor, key);
  if (startsComprehension(cursor)) {
    if (first.key === undefined)
      return cursor.fail('dict unpacking cannot be used in dict comprehension', at);
    return parseComprehension(cursor, 'dict', first.key, first.value, at);
  }
  const pairs = [first];
  while (cursor.accept(',') && !cursor.is('}')) {
    pairs.push(pair(cursor, cursor.is('**') ? undefined : namedExpression(cursor)));
  }
  return { kind: 'dict', pairs, at };
}

function pair(
  cursor: Cursor,
  key: Expression | undefined,
): { key: Expression | undefined; value: Expression } {
  if (cursor.accept('**')) return { key: undefined, value: parseBinary(cursor, 0) };
  if (key?.kind === 'starred' || key?.kind === 'walrus')
    return cursor.fail('invalid dictionary key', key.at);
  cursor.expect(':', 'after dictionary key');
  return { key, value: parseExpression(cursor) };
}

function set(cursor: Cursor, first: Expression): Expression {
  const { at } = first;
  if (startsComprehension(cursor)) return parseComprehension(cursor, 'set', first, undefined, at);
  return { kind: 'set', items: [first, ...more(cursor, '}')], at };
}
