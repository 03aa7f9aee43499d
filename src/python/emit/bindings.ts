import { children, definitionExpressions } from '../syntax/children.ts';
import type { Expression, Statement } from '../syntax/tree.ts';

/** The names a body binds, and those it declares `global` or `nonlocal`. */
export type Bindings = {
  readonly bound: Set<string>;
  readonly globals: Set<string>;
  readonly nonlocals: Set<string>;
  /** Names that a statement unbinds: `del x`, and the end of `except ... as x`. */
  readonly deleted: Set<string>;
  hasYield: boolean;
};

/**
 * Names bound by statements: assignments, loops, imports, definitions, handlers, walruses. It does
 * not enter inner functions.
 */
export function bindingsOf(body: readonly Statement[], last?: Expression): Bindings {
  const found: Bindings = {
    bound: new Set(),
    globals: new Set(),
    nonlocals: new Set(),
    deleted: new Set(),
    hasYield: false,
  };
  for (const statement of body) inStatement(statement, found);
  inExpression(last, found);
  return found;
}

/** Bindings of a lambda body or of the clauses of a comprehension. */
export function bindingsOfExpression(expression: Expression): Bindings {
  return bindingsOf([], expression);
}

/** The names a target assigns. */
export function targetNames(target: Expression): string[] {
  switch (target.kind) {
    case 'name':
      return [target.id];
    case 'tuple':
    case 'list':
      return target.items.flatMap(targetNames);
    case 'starred':
      return targetNames(target.value);
    default:
      return [];
  }
}

/** One case per kind of statement: what each binds. */
function inStatement(statement: Statement, found: Bindings): void {
  const inBody = (body: readonly Statement[]): void =>
    body.forEach((inner) => inStatement(inner, found));
  const inAll = (...values: readonly (Expression | undefined)[]): void =>
    values.forEach((value) => inExpression(value, found));
  switch (statement.kind) {
    case 'expression':
      return inAll(statement.value);
    case 'assign':
      // In the order of binding, which the members of an enumeration show.
      inAll(statement.value);
      return statement.targets.forEach((target) => bind(target, found));
    case 'augmented':
    case 'annotated':
      bind(statement.target, found);
      return inAll(
        statement.value,
        statement.kind === 'annotated' ? statement.annotation : undefined,
      );
    case 'if':
    case 'while':
      inAll(statement.test);
      inBody(statement.body);
      return inBody(statement.otherwise);
    case 'for':
      bind(statement.target, found);
      inAll(statement.iterable);
      inBody(statement.body);
      return inBody(statement.otherwise);
    case 'try':
      for (const handler of statement.handlers) {
        inAll(handler.type);
        if (handler.name !== undefined) found.bound.add(handler.name);
        if (handler.name !== undefined) found.deleted.add(handler.name);
        inBody(handler.body);
      }
      [statement.body, statement.otherwise, statement.last].forEach(inBody);
      return undefined;
    case 'with':
      for (const { context, target } of statement.items) {
        inAll(context);
        if (target !== undefined) bind(target, found);
      }
      return inBody(statement.body);
    case 'function':
      found.bound.add(statement.name);
      inAll(
        ...statement.decorators,
        statement.returns,
        ...definitionExpressions(statement.parameters),
      );
      return undefined;
    case 'class':
      found.bound.add(statement.name);
      return inAll(...statement.decorators, ...statement.bases.map((base) => base.value));
    case 'return':
      return inAll(statement.value);
    case 'raise':
      return inAll(statement.value, statement.cause);
    case 'assert':
      return inAll(statement.test, statement.message);
    case 'delete':
      for (const target of statement.targets) {
        bind(target, found);
        for (const name of targetNames(target)) found.deleted.add(name);
      }
      return undefined;
    case 'import':
      return statement.modules.forEach(({ name, as }) =>
        found.bound.add(as ?? name.split('.')[0] ?? name),
      );
    case 'importFrom':
      return statement.names.forEach(({ name, as }) => found.bound.add(as ?? name));
    case 'global':
      return statement.names.forEach((name) => found.globals.add(name));
    case 'nonlocal':
      return statement.names.forEach((name) => found.nonlocals.add(name));
    case 'pass':
    case 'break':
    case 'continue':
      return undefined;
    default:
      return statement satisfies never;
  }
}

/**
 * Finds walruses and yields. A lambda has its own scope; a comprehension's walrus binds in the
 * scope around.
 */
function inExpression(expression: Expression | undefined, found: Bindings): void {
  if (expression === undefined) return;
  if (expression.kind === 'walrus') found.bound.add(expression.target.id);
  if (expression.kind === 'yield' || expression.kind === 'yieldFrom') found.hasYield = true;
  for (const child of children(expression)) inExpression(child, found);
}

function bind(target: Expression, found: Bindings): void {
  for (const name of targetNames(target)) found.bound.add(name);
  inExpression(target, found);
}
