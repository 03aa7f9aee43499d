import type { BinaryOp } from '../objects/object.ts';
import { compound } from './compound.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression, expressionList, yieldExpression } from './expressions.ts';
import { assignable, described } from './targets.ts';
import type { TokenPosition } from './token.ts';
import type { Expression, Imported, Statement } from './tree.ts';

/** All statements of a text. */
export function statements(cursor: Cursor): Statement[] {
  const all: Statement[] = [];
  while (!cursor.isKind('end')) all.push(...statement(cursor));
  return all;
}

/** One compound statement, or the simple statements of one line. */
export function statement(cursor: Cursor): Statement[] {
  if (cursor.isKind('indent')) cursor.fail('unexpected indent');
  const made = compound(cursor);
  return made === undefined ? simpleLine(cursor) : [made];
}

/** Simple statements up to the end of the line. */
export function simpleLine(cursor: Cursor): Statement[] {
  const all = [simple(cursor)];
  while (cursor.accept(';')) {
    if (cursor.isKind('newline')) break;
    all.push(simple(cursor));
  }
  if (!cursor.isKind('newline')) cursor.unexpected();
  cursor.next();
  return all;
}

const AUGMENTED: Readonly<Record<string, BinaryOp>> = {
  '+=': '+',
  '-=': '-',
  '*=': '*',
  '/=': '/',
  '//=': '//',
  '%=': '%',
  '**=': '**',
  '<<=': '<<',
  '>>=': '>>',
  '&=': '&',
  '|=': '|',
  '^=': '^',
  '@=': '@',
};

function simple(cursor: Cursor): Statement {
  const token = cursor.token();
  const { at } = token;
  const keyword = token.kind === 'keyword' ? token.text : '';
  switch (keyword) {
    case 'pass':
    case 'break':
    case 'continue':
      cursor.next();
      if (keyword !== 'pass' && !cursor.context.inLoop) {
        cursor.fail(
          keyword === 'break' ? "'break' outside loop" : "'continue' not properly in loop",
          at,
        );
      }
      return { kind: keyword, at };
    case 'return':
      return returned(cursor, at);
    case 'raise':
      return raised(cursor, at);
    case 'global':
    case 'nonlocal':
      return scoped(cursor, keyword, at);
    case 'assert': {
      cursor.next();
      const test = parseExpression(cursor);
      return {
        kind: 'assert',
        test,
        message: cursor.accept(',') ? parseExpression(cursor) : undefined,
        at,
      };
    }
    case 'del':
      return deleted(cursor, at);
    case 'import':
      cursor.next();
      return {
        kind: 'import',
        modules: commaSeparated(cursor, (inner) => imported(inner, dottedName(inner))),
        at,
      };
    case 'from':
      return importFrom(cursor, at);
    default:
      return assignment(cursor, at);
  }
}

function returned(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  if (!cursor.context.inFunction) cursor.fail("'return' outside function", at);
  return { kind: 'return', value: ends(cursor) ? undefined : expressionList(cursor), at };
}

function ends(cursor: Cursor): boolean {
  return cursor.isKind('newline') || cursor.is(';');
}

function raised(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  if (ends(cursor)) return { kind: 'raise', value: undefined, cause: undefined, at };
  const value = parseExpression(cursor);
  return {
    kind: 'raise',
    value,
    cause: cursor.accept('from') ? parseExpression(cursor) : undefined,
    at,
  };
}

function scoped(cursor: Cursor, kind: 'global' | 'nonlocal', at: TokenPosition): Statement {
  cursor.next();
  if (kind === 'nonlocal' && !cursor.context.inFunction)
    cursor.fail('nonlocal declaration not allowed at module level', at);
  return { kind, names: commaSeparated(cursor, (inner) => inner.name('a name')), at };
}

function commaSeparated<T>(cursor: Cursor, parse: (cursor: Cursor) => T): T[] {
  const all = [parse(cursor)];
  while (cursor.accept(',')) all.push(parse(cursor));
  return all;
}

function deleted(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  const list = expressionList(cursor);
  assignable(cursor, list, 'delete');
  return { kind: 'delete', targets: [list], at };
}

function imported(cursor: Cursor, name: string): Imported {
  return { name, as: cursor.accept('as') ? cursor.name("a name after 'as'") : undefined };
}

function dottedName(cursor: Cursor): string {
  let name = cursor.name('a module name');
  while (cursor.accept('.')) name += `.${cursor.name("a name after '.'")}`;
  return name;
}

function importFrom(cursor: Cursor, at: TokenPosition): Statement {
  cursor.next();
  if (cursor.is('.') || cursor.is('...'))
    cursor.fail('relative imports are not supported: a rule file is in no package', at);
  const module = dottedName(cursor);
  cursor.expect('import', 'after the module');
  if (cursor.is('*')) cursor.fail("'import *' is not supported: name what you import");
  const bracketed = cursor.accept('(');
  const names: Imported[] = [];
  do {
    if (bracketed && names.length > 0 && cursor.is(')')) break;
    names.push(imported(cursor, cursor.name('a name to import')));
  } while (cursor.accept(','));
  if (bracketed) cursor.expect(')', 'at the end of the imported names');
  return { kind: 'importFrom', module, names, at };
}

function assignment(cursor: Cursor, at: TokenPosition): Statement {
  refuseSoftKeyword(cursor);
  const first = rightSide(cursor);
  const token = cursor.token();
  const op = token.kind === 'operator' ? AUGMENTED[token.text] : undefined;
  if (op !== undefined) {
    if (first.kind !== 'name' && first.kind !== 'attribute' && first.kind !== 'subscript') {
      return cursor.fail(
        `'${described(first)}' is an illegal expression for augmented assignment`,
        at,
      );
    }
    cursor.next();
    return { kind: 'augmented', target: first, op, value: rightSide(cursor), at };
  }
  if (cursor.accept(':')) return annotated(cursor, first, at);
  const values = [first];
  while (cursor.accept('=')) values.push(rightSide(cursor));
  const value = values.pop() ?? first;
  if (values.length === 0) return { kind: 'expression', value, at };
  for (const target of values) assignable(cursor, target);
  return { kind: 'assign', targets: values, value, at };
}

/** `match x:` and `type X = ...` begin with names that are keywords only there. */
function refuseSoftKeyword(cursor: Cursor): void {
  const token = cursor.token();
  const following = cursor.token(1);
  if (token.kind !== 'name' || (token.text !== 'match' && token.text !== 'type')) return;
  if (['name', 'number', 'string', 'fstring'].includes(following.kind))
    cursor.fail(`the '${token.text}' statement is not supported`);
  if (token.text === 'match' && lineEndsWithColon(cursor))
    cursor.fail("the 'match' statement is not supported");
}

function lineEndsWithColon(cursor: Cursor): boolean {
  let ahead = 0;
  while (!cursor.isKind('newline', ahead) && !cursor.isKind('end', ahead)) ahead += 1;
  return ahead > 0 && cursor.is(':', ahead - 1);
}

/** The right side of `=`, or a further target; `assignable` decides about a bare `*a`. */
function rightSide(cursor: Cursor): Expression {
  return cursor.is('yield') ? yieldExpression(cursor) : expressionList(cursor);
}

function annotated(cursor: Cursor, target: Expression, at: TokenPosition): Statement {
  if (target.kind !== 'name' && target.kind !== 'attribute' && target.kind !== 'subscript') {
    cursor.fail('illegal target for annotation', at);
  }
  const annotation = parseExpression(cursor);
  return {
    kind: 'annotated',
    target,
    annotation,
    value: cursor.accept('=') ? rightSide(cursor) : undefined,
    at,
  };
}
