import {
  AbstractClass,
  defineClass,
  PyDict,
  PyList,
  PyModule,
  PyObject,
  raise,
  standardModules,
  str,
} from '../../python/index.ts';
import type { HostClass, PyClass, Value } from '../../python/index.ts';
import { functionsOf } from '../python-view/members.ts';
import { columns, conditionOf, equalTo, expressionFunctions, flat } from './columns.ts';
import type { QueryExpression } from './expression.ts';
import { COLUMNS } from './rows.ts';
import type { ColumnName, JobRow } from './rows.ts';
import {
  allColumns,
  countOf,
  everything,
  refuseExpression,
  resultRows,
  results,
  run,
  scalar,
} from './select.ts';
import type { Output, Select } from './select.ts';
import { parseSql } from './sql.ts';
import { raiseSql } from './sql-errors.ts';

type Table = readonly JobRow[];
type Query = { readonly select: Select; readonly table: Table };

const ARGS = 'a=, b=, c=, d=, e=, f=, g=, h=';

/** `app.model` over a table of jobs. */
export function modelOf(rows: Table): PyModule {
  const found = (statement: Value, parameters: Value): Select =>
    queries.unwrap(statement)?.select ??
    parseSql(str(statement), parameters instanceof PyDict ? parameters : new PyDict());
  const session = new PyModule(
    'context',
    functionsOf({
      [`query(${ARGS})`]: (...args) =>
        queries.wrap({ select: { ...everything, outputs: outputsOf(flat(args)) }, table: rows }),
      'execute(statement, parameters=)': (statement = null, parameters = null) =>
        resultsOf(found(statement, parameters), rows),
      'scalar(statement, parameters=)': (statement = null, parameters = null) =>
        scalar(found(statement, parameters), rows),
      'scalars(statement, parameters=)': (statement = null, parameters = null) =>
        scalarsOf(found(statement, parameters), rows),
    }),
  );
  return new PyModule('galaxy.model', [
    ...galaxyModel.members,
    ['context', session],
    ['session', session],
  ]);
}

const STATES = [
  'new',
  'queued',
  'running',
  'ok',
  'error',
  'paused',
  'deleted',
  'waiting',
  'upload',
  'resubmitted',
  'stopped',
];

/** `app.model.Job` and `app.model.User`: their columns, as attributes and below `table.c`. */
const entity = table('Job', [
  ...COLUMNS.filter((name) => name !== 'email').map((name) => [name, column(name)] as const),
  [
    'states',
    new PyModule(
      'states',
      STATES.map((state) => [state.toUpperCase(), state]),
    ),
  ],
]);
const userEntity = table('User', [
  ['id', column('user_id')],
  ['email', column('email')],
]);

/** `galaxy.model`: the tables to ask. */
export const galaxyModel = new PyModule('galaxy.model', [
  ['Job', entity],
  ['User', userEntity],
]);
const queries: HostClass<Query> = defineClass<Query>({
  name: 'Query',
  module: 'sqlalchemy.orm.query',
  methods: {
    [`filter(${ARGS})`]: (self, ...more) => narrowed(self, more),
    [`where(${ARGS})`]: (self, ...more) => narrowed(self, more),
    [`group_by(${ARGS})`]: (self, ...by) =>
      changed(self, { groups: [...self.select.groups, ...flat(by).map((one) => orderOf(one).of)] }),
    [`order_by(${ARGS})`]: (self, ...by) =>
      changed(self, { order: [...self.select.order, ...flat(by).map(orderOf)] }),
    'filter_by(*, id=, tool_id=, state=, destination_id=, user_id=)': (self, ...values) => {
      const names = ['id', 'tool_id', 'state', 'destination_id', 'user_id'] as const;
      const given = names.flatMap((name, index): (readonly [string, Value])[] => {
        const value = values[index];
        return value === undefined ? [] : [[name, value]];
      });
      return changed(self, { conditions: [...self.select.conditions, ...byName(given)] });
    },
    // The table of jobs has the columns of its users.
    'join(target, onclause=)': (self) => queries.wrap(self),
    'outerjoin(target, onclause=)': (self) => queries.wrap(self),
    'select_from(target)': (self) => queries.wrap(self),
    'distinct()': (self) => changed(self, { isDistinct: true }),
    'limit(limit)': (self, limit) => changed(self, { limit: limitOf(limit ?? null) }),
    'all()': all,
    'first()': first,
    'one()': (self) =>
      only(self) ?? raiseSql('NoResultFound', 'No row was found when one was required'),
    'one_or_none()': only,
    'count()': (self) => countOf(self.select, self.table),
    'scalar()': (self) => resultRows.unwrap(only(self))?.values[0] ?? null,
  },
  iterate: (self) => all(self).iterate(),
});

/** The result of `execute`: a list with the method names of a result. */
const resultClass = defineClass<PyList>({
  name: 'CursorResult',
  module: 'sqlalchemy.engine.cursor',
  methods: {
    'all()': (list) => list,
    'fetchall()': (list) => list,
    'first()': (list) => list.items[0] ?? null,
    'fetchone()': (list) => list.items[0] ?? null,
    'scalar()': (list) => resultRows.unwrap(list.items[0] ?? null)?.values[0] ?? null,
    'scalars()': (list) =>
      new PyList(list.items.map((row) => resultRows.unwrap(row)?.values[0] ?? null)),
    'close()': () => null,
  },
  iterate: (list) => list.iterate(),
});

const usual = standardModules.get('sqlalchemy');

/**
 * `sqlalchemy` with functions that make expressions for `app.model`, in place of those that raise.
 */
export const queryingSqlalchemy = new PyModule('sqlalchemy', [
  ...(usual instanceof PyModule ? usual.members : []),
  ...expressionFunctions,
  ...functionsOf({
    [`select(${ARGS})`]: (...args) =>
      queries.wrap({ select: { ...everything, outputs: outputsOf(flat(args)) }, table: [] }),
  }),
]);

function outputsOf(given: readonly Value[]): readonly Output[] {
  return given.flatMap((value): readonly Output[] => {
    if (value === entity) return allColumns;
    const found = columns.unwrap(value);
    return [found === undefined ? refuseExpression(value) : { name: found.name, of: found.of }];
  });
}

function resultsOf(select: Select, rows: Table): PyObject {
  return resultClass.wrap(new PyList([...results(select, rows)]));
}

function scalarsOf(select: Select, rows: Table): PyList {
  return new PyList(run(select, rows).map(({ values }) => values[0] ?? null));
}

/** A table, which is also the class of the objects of a job that are its rows. */
function table(name: string, members: readonly (readonly [string, Value])[]): PyClass {
  const label = `galaxy.model.${name}`;
  const cls = new AbstractClass(
    name,
    'galaxy.model',
    (value) => value instanceof PyObject && value.cls.label === label,
  );
  for (const [column, value] of members) cls.dict.set(column, value);
  cls.dict.set('table', new PyModule('table', [['c', new PyModule('columns', members)]]));
  return cls;
}

function column(name: ColumnName): Value {
  return columns.wrap({ of: { kind: 'column', name }, name, descending: false });
}

/** `filter_by(state='queued')`. */
function byName(kwargs: readonly (readonly [string, Value])[]): readonly QueryExpression[] {
  return kwargs.map(([name, value]) => {
    const known =
      COLUMNS.find((one) => one === name) ?? raise('AttributeError', `Job has no column '${name}'`);
    return equalTo({ kind: 'column', name: known }, value);
  });
}

function narrowed(self: Query, more: readonly (Value | undefined)[]): PyObject {
  return changed(self, { conditions: [...self.select.conditions, ...flat(more).map(conditionOf)] });
}

/** SQLAlchemy's Query and Select: every call makes a new one, and the last one runs it. */
function changed(self: Query, change: Partial<Select>): PyObject {
  return queries.wrap({ ...self, select: { ...self.select, ...change } });
}

function all(self: Query): PyList {
  return new PyList([...results(self.select, self.table)]);
}

function first(self: Query): Value {
  return results(self.select, self.table)[0] ?? null;
}

/** The only row. */
function only(self: Query): Value {
  const [row = null, another] = results(self.select, self.table);
  return another === undefined
    ? row
    : raiseSql('MultipleResultsFound', 'Multiple rows were found when one was required');
}

function limitOf(value: Value): number | null {
  const isCount = value === null || (typeof value === 'number' && value >= 0);
  return isCount ? value : refuseExpression(value);
}

function orderOf(value: Value): Select['order'][number] {
  const found = columns.unwrap(value);
  return found === undefined
    ? refuseExpression(value)
    : { of: found.of, descending: found.descending };
}
