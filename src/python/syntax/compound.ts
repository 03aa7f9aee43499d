import { callArguments } from './arguments.ts';
import { targetList } from './comprehensions.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression, expressionList, namedExpression } from './expressions.ts';
import { parameters } from './parameters.ts';
import { simpleLine, statement } from './statements.ts';
import { assignable } from './targets.ts';
import type { TokenPosition } from './token.ts';
import type { Expression, Handler, Statement, WithItem } from './tree.ts';

/** A statement with a block, or `undefined` when a simple one follows. */
export function compound(cursor: Cursor): Statement | undefined {
  const token = cursor.token();
  const { at } = token;
  if (token.kind === 'operator' && token.text === '@') return decorated(cursor);
  if (token.kind !== 'keyword') return undefined;
  switch (token.text) {
    case 'if':
      return conditional(cursor, at);
    case 'for':
      return forLoop(cursor, at);
    case 'while':
      return whileLoop(cursor, at);
    case 'try':
      return tryStatement(cursor, at);
    case 'with':
      return withStatement(cursor, at);
    case 'def':
      return functionDefinition(cursor, []);
    case 'class':
      return classDefinition(cursor, []);
    case 'async':
    case 'await':
      return cursor.fail(`'${token.text}' is not supported`, at);
    default:
      return undefined;
  }
}

function decorated(cursor: Cursor): Statement {
  const decorators: Expression[] = [];
  while (cursor.accept('@')) {
    decorators.push(namedExpression(cursor));
    if (!cursor.isKind('newline')) cursor.unexpected();
    cursor.next();
  }
  if (cursor.is('class')) return classDefinition(cursor, decorators);
  if (cursor.is('async')) cursor.fail("'async' is not supported");
  if (!cursor.is('def')) cursor.fail('expected a function or class after the decorator');
  return functionDefinition(cursor, decorators);
}

function classDefinition(cursor: Cursor, decorators: readonly Expression[]): Statement {
  const at = cursor.at;
  cursor.next();
  const name = cursor.name('a class name');
  if (cursor.is('[')) cursor.fail('type parameters are not supported');
  const bases = cursor.accept('(') ? callArguments(cursor, true) : [];
  const starred = bases.some((base) => base.kind === 'star' || base.kind === 'doubleStar');
  if (starred) cursor.fail('starred arguments of a class are not supported', at);
  const meta = bases.some((base) => base.kind === 'keyword' && base.name === 'metaclass');
  if (meta) cursor.fail("the 'metaclass' of a class is not supported", at);
  const context = { inFunction: false, inLoop: false };
  const body = cursor.within(context, () => block(cursor, 'after class definition'));
  return { kind: 'class', name, bases, decorators, body, at };
}

function block(cursor: Cursor, after: string): Statement[] {
  return cursor.nested(() => {
    if (!cursor.accept(':')) cursor.fail(`expected ':' ${after}`);
    if (!cursor.isKind('newline')) {
      return simpleLine(cursor);
    }
    cursor.next();
    if (!cursor.isKind('indent')) cursor.fail(`expected an indented block ${after}`);
    cursor.next();
    const body: Statement[] = [];
    while (!cursor.isKind('dedent') && !cursor.isKind('end')) body.push(...statement(cursor));
    cursor.next();
    return body;
  });
}

function functionDefinition(cursor: Cursor, decorators: readonly Expression[]): Statement {
  const at = cursor.at;
  cursor.next();
  const name = cursor.name('a function name');
  if (cursor.is('[')) cursor.fail('type parameters are not supported');
  cursor.expect('(', 'after the function name');
  const list = parameters(cursor, ')', true);
  cursor.expect(')', 'at the end of the parameters');
  const returns = cursor.accept('->') ? parseExpression(cursor) : undefined;
  const context = { inFunction: true, inLoop: false };
  const body = cursor.within(context, () => block(cursor, 'after function definition'));
  return { kind: 'function', name, parameters: list, returns, decorators, body, at };
}

function conditional(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  const test = namedExpression(cursor);
  const body = block(cursor, "after the condition of 'if'");
  const next = cursor.at;
  if (cursor.is('elif'))
    return {
      kind: 'if',
      test,
      body,
      otherwise: [cursor.nested(() => conditional(cursor, next))],
      at,
    };
  return { kind: 'if', test, body, otherwise: elseBlock(cursor), at };
}

function elseBlock(cursor: Cursor): Statement[] {
  return cursor.accept('else') ? block(cursor, "after 'else'") : [];
}

function forLoop(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  const target = targetList(cursor);
  cursor.expect('in', "after the target of 'for'");
  const iterable = expressionList(cursor);
  const body = loopBody(cursor, "after 'for' statement");
  return { kind: 'for', target, iterable, body, otherwise: elseBlock(cursor), at };
}

function loopBody(cursor: Cursor, after: string): Statement[] {
  return cursor.within({ ...cursor.context, inLoop: true }, () => block(cursor, after));
}

function whileLoop(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  const test = namedExpression(cursor);
  const body = loopBody(cursor, "after 'while' statement");
  return { kind: 'while', test, body, otherwise: elseBlock(cursor), at };
}

function tryStatement(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  const body = block(cursor, "after 'try'");
  const handlers: Handler[] = [];
  while (cursor.is('except')) {
    if (handlers.at(-1)?.type === undefined && handlers.length > 0)
      cursor.fail("default 'except:' must be last");
    handlers.push(handler(cursor));
  }
  const otherwise = handlers.length > 0 ? elseBlock(cursor) : [];
  const last = cursor.accept('finally') ? block(cursor, "after 'finally'") : [];
  if (handlers.length === 0 && last.length === 0)
    cursor.fail("expected 'except' or 'finally' block");
  return { kind: 'try', body, handlers, otherwise, last, at };
}

function handler(cursor: Cursor): Handler {
  const at = cursor.at;
  cursor.next();
  if (cursor.is('*')) cursor.fail("'except*' is not supported", at);
  const type = cursor.is(':') ? undefined : parseExpression(cursor);
  if (cursor.is(',')) cursor.fail('multiple exception types must be parenthesized');
  const name =
    type !== undefined && cursor.accept('as') ? cursor.name("a name after 'as'") : undefined;
  return { type, name, body: block(cursor, "after 'except' statement"), at };
}

function withStatement(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  const mark = cursor.mark();
  const items = bracketedItems(cursor) ?? (cursor.rewind(mark), withItems(cursor));
  return { kind: 'with', items, body: block(cursor, "after 'with' statement"), at };
}

/** `with (a as b, c as d):`; `undefined` when the bracket belongs to the first expression. */
function bracketedItems(cursor: Cursor): WithItem[] | undefined {
  let depth = 0;
  let ahead = 0;
  do {
    if (cursor.is('(', ahead)) depth += 1;
    if (cursor.is(')', ahead)) depth -= 1;
    if (cursor.isKind('end', ahead)) return undefined;
    ahead += 1;
  } while (depth > 0);
  if (!cursor.is('(') || !cursor.is(':', ahead)) return undefined;
  cursor.next();
  const items = withItems(cursor);
  cursor.expect(')', "at the end of the items of 'with'");
  return items;
}

function withItems(cursor: Cursor): WithItem[] {
  const items = [withItem(cursor)];
  while (cursor.accept(',') && !cursor.is(')')) items.push(withItem(cursor));
  return items;
}

function withItem(cursor: Cursor): WithItem {
  const context = parseExpression(cursor);
  if (!cursor.accept('as')) return { context, target: undefined };
  const target = parseExpression(cursor);
  assignable(cursor, target);
  return { context, target };
}
