import { tick } from '../../python/meter.ts';
import { compare, defineClass, equals, PyTuple, raise, repr, str } from '../../python/index.ts';
import type { HostClass, PyObject, Value } from '../../python/index.ts';
import { evaluate } from './expression.ts';
import type { QueryExpression } from './expression.ts';
import { COLUMNS, valueOfEach } from './rows.ts';
import type { JobRow } from './rows.ts';

/** A column of a result: its name for `row.name`, and its expression. */
export type Output = { readonly name: string; readonly of: QueryExpression };

/** A query of the table of jobs. */
export type Select = {
  readonly outputs: readonly Output[];
  readonly conditions: readonly QueryExpression[];
  readonly groups: readonly QueryExpression[];
  readonly order: readonly { readonly of: QueryExpression; readonly descending: boolean }[];
  readonly limit: number | null;
  readonly isDistinct: boolean;
};

export const everything: Select = {
  outputs: [],
  conditions: [],
  groups: [],
  order: [],
  limit: null,
  isDistinct: false,
};

/** One row of a result: rules read it by position, by name, or unpack it. */
type ResultRow = { readonly names: readonly string[]; readonly values: readonly Value[] };

export const resultRows: HostClass<ResultRow> = defineClass<ResultRow>({
  name: 'Row',
  module: 'sqlalchemy.engine.row',
  fallback: ({ names, values }, name) => values[names.indexOf(name)],
  iterate: (row) => tupleOf(row).iterate(),
  length: ({ values }) => values.length,
  item: (row, key) => tupleOf(row).item(key),
  equals: (row, other) => {
    const right = resultRows.unwrap(other);
    return equals(tupleOf(row), right === undefined ? other : tupleOf(right));
  },
  repr: (row) => repr(tupleOf(row)),
});

/** The rows that a query finds, in the order of the table unless the query sets one. */
export function run(select: Select, table: readonly JobRow[]): readonly ResultRow[] {
  const found = table.filter((row) =>
    select.conditions.every((one) => evaluate(one, [row]) === true),
  );
  const names = select.outputs.map(({ name }) => name);
  const groups = groupsOf(select, found);
  const made = groups.map((rows) => ({
    row: { names, values: select.outputs.map(({ of }) => evaluate(of, rows)) },
    keys: select.order.map(({ of }) => evaluate(of, rows)),
  }));
  const ordered =
    select.order.length === 0 ? made : made.toSorted((a, b) => ordering(select, a.keys, b.keys));
  const rows = ordered.map(({ row }) => row);
  const distinct = select.isDistinct
    ? [...new Map(rows.map((row) => [row.values.map(repr).join(), row])).values()]
    : rows;
  return select.limit === null ? distinct : distinct.slice(0, select.limit);
}

/** The results of a query, as `Query.all()` and `execute()` give them. */
export function results(select: Select, table: readonly JobRow[]): readonly PyObject[] {
  return run(select, table).map((row) => resultRows.wrap(row));
}

/** The only value of the first row; None without rows. */
export function scalar(select: Select, table: readonly JobRow[]): Value {
  return run(select, table)[0]?.values[0] ?? null;
}

/** The number of rows. */
export function countOf(select: Select, table: readonly JobRow[]): number {
  return run(select, table).length;
}

/** All columns, for queries of the whole entity. */
export const allColumns: readonly Output[] = COLUMNS.map((name) => ({
  name,
  of: { kind: 'column', name },
}));

/** @throws TypeError for a value that is no expression of `app.model` */
export function refuseExpression(value: Value): never {
  return raise('TypeError', `this cannot be part of a query of the jobs: ${str(value)}`);
}

/** Without groups every job is a row of its own; an aggregate makes one row of all. */
function groupsOf(
  { outputs, groups }: Select,
  rows: readonly JobRow[],
): readonly (readonly JobRow[])[] {
  if (groups.length > 0)
    return [
      ...Map.groupBy(rows, (row) =>
        JSON.stringify(groups.map((one) => repr(evaluate(one, [row])))),
      ).values(),
    ];
  if (outputs.some(({ of }) => of.kind === 'aggregate')) return [rows];
  tick(rows.reduce((sum, { weight }) => sum + weight, 0));
  return rows.flatMap((row) => Array.from({ length: row.weight }, () => [single(row)]));
}

/** One of the jobs that a row stands for. */
function single(row: JobRow): JobRow {
  const [cores, mem] = [valueOfEach(row, 'cores'), valueOfEach(row, 'mem')];
  return { weight: 1, values: { ...row.values, cores, mem } };
}

function ordering({ order }: Select, left: readonly Value[], right: readonly Value[]): number {
  for (const [index, { descending }] of order.entries()) {
    const [a = null, b = null] = [left[index], right[index]];
    const difference =
      a === null || b === null ? Number(a === null) - Number(b === null) : compare(a, b);
    if (difference !== 0) return descending ? -difference : difference;
  }
  return 0;
}

function tupleOf({ values }: ResultRow): PyTuple {
  return new PyTuple([...values]);
}
