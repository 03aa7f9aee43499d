import {
  compare,
  defineClass,
  items,
  PyList,
  PyModule,
  PyTuple,
  raise,
  str,
} from '../../python/index.ts';
import type { HostClass, Value } from '../../python/index.ts';
import { functionsOf } from '../python-view/members.ts';
import {
  AGGREGATES,
  allOf,
  anyOf,
  evaluate,
  isEqual,
  isNull,
  like,
  noneOf,
  within,
} from './expression.ts';
import type { QueryExpression, Truth } from './expression.ts';
import type { JobRow } from './rows.ts';
import { refuseExpression } from './select.ts';

/**
 * An expression as Python code holds it: with the name of its column in a result, and its direction
 * of ordering.
 */
type Column = { readonly of: QueryExpression; readonly name: string; readonly descending: boolean };

const NO_TRUTH = 'Boolean value of this clause is not defined';

/** SQLAlchemy's column expressions: comparing two makes a condition, which only `filter` reads. */
export const columns: HostClass<Column> = defineClass<Column>({
  name: 'ColumnElement',
  module: 'sqlalchemy.sql.elements',
  methods: {
    'in_(other)': ({ of }, other) => wrap(within(of, literals(other))),
    'notin_(other)': ({ of }, other) => wrap(noneOf(within(of, literals(other)))),
    'not_in(other)': ({ of }, other) => wrap(noneOf(within(of, literals(other)))),
    'is_(other)': ({ of }, other) => wrap(equalTo(of, other ?? null)),
    'is_not(other)': ({ of }, other) => wrap(noneOf(equalTo(of, other ?? null))),
    'isnot(other)': ({ of }, other) => wrap(noneOf(equalTo(of, other ?? null))),
    'like(other)': ({ of }, other) => wrap(like(of, str(other ?? null))),
    'ilike(other)': ({ of }, other) => wrap(like(of, str(other ?? null), true)),
    'startswith(other)': ({ of }, other) => wrap(like(of, `${str(other ?? null)}%`)),
    'label(name)': (self, name) => columns.wrap({ ...self, name: str(name ?? null) }),
    'desc()': (self) => columns.wrap({ ...self, descending: true }),
    'asc()': (self) => columns.wrap({ ...self, descending: false }),
  },
  equals: ({ of }, other) => wrap(equalTo(of, other)),
  order: ({ of }, op, other) =>
    condition((row) => {
      const [a, b] = [evaluate(of, [row]), evaluate(expressionOf(other), [row])];
      if (a === null || b === null) return null;
      const difference = compare(a, b);
      return difference === 0 ? op.endsWith('=') : op.startsWith('<') === difference < 0;
    }),
  binary: ({ of }, op, other) => {
    const right = expressionOf(other);
    if (op === '&') return wrap(allOf([of, right]));
    return op === '|' ? wrap(anyOf([of, right])) : undefined;
  },
  truthy: () => raise('TypeError', NO_TRUTH),
  repr: ({ name }) => `<ColumnElement ${name}>`,
});

/** The expression of a column, or of a plain value. */
export function expressionOf(value: Value): QueryExpression {
  const column = columns.unwrap(value);
  if (column !== undefined) return column.of;
  const isPlain =
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean';
  return isPlain ? { kind: 'literal', value } : refuseExpression(value);
}

/**
 * A condition of `filter`. A plain bool is refused: it comes from `!=` on values without an
 * expression.
 */
export function conditionOf(value: Value): QueryExpression {
  const column = columns.unwrap(value);
  return column?.of.kind === 'condition' ? column.of : refuseExpression(value);
}

/** Equality as SQLAlchemy writes it: with None it is `IS NULL`. */
export function equalTo(of: QueryExpression, other: Value): QueryExpression {
  if (other === null) return isNull(of);
  const right = expressionOf(other);
  return { kind: 'condition', holds: (row) => isEqual(of, right, row) };
}

const aggregates = functionsOf(
  Object.fromEntries(
    AGGREGATES.map((name) => [
      `${name}(column=)`,
      (column: Value | undefined) => {
        const of = column === undefined ? null : expressionOf(column);
        return columns.wrap({ of: { kind: 'aggregate', name, of }, name, descending: false });
      },
    ]),
  ),
);

/** The functions of `sqlalchemy` that make expressions. */
export const expressionFunctions: readonly (readonly [string, Value])[] = [
  ['func', new PyModule('sqlalchemy.func', aggregates)],
  ...functionsOf({
    'and_(a=, b=, c=, d=, e=, f=, g=, h=)': (...parts) => wrap(allOf(flat(parts).map(conditionOf))),
    'or_(a=, b=, c=, d=, e=, f=, g=, h=)': (...parts) => wrap(anyOf(flat(parts).map(conditionOf))),
    'not_(clause)': (clause) => wrap(noneOf(conditionOf(clause ?? null))),
    'desc(column)': (column) => ordered(column, true),
    'asc(column)': (column) => ordered(column, false),
  }),
];

/** Values given as arguments, or as one list. */
export function flat(args: readonly (Value | undefined)[]): readonly Value[] {
  return args
    .filter((arg) => arg !== undefined)
    .flatMap((arg) => (arg instanceof PyList || arg instanceof PyTuple ? arg.items : [arg]));
}

function condition(holds: (row: JobRow) => Truth): Value {
  return wrap({ kind: 'condition', holds });
}

function wrap(of: QueryExpression): Value {
  return columns.wrap({ of, name: 'anon', descending: false });
}

function literals(given: Value | undefined): readonly QueryExpression[] {
  return listOf(given ?? null).map((value): QueryExpression => ({ kind: 'literal', value }));
}

/** A list, tuple, set or generator of values. */
function listOf(value: Value): readonly Value[] {
  return typeof value === 'string' ? refuseExpression(value) : items(value);
}

function ordered(value: Value | undefined, descending: boolean): Value {
  const column = columns.unwrap(value ?? null);
  return column === undefined
    ? refuseExpression(value ?? null)
    : columns.wrap({ ...column, descending });
}
