import { stringArgument } from '../../builtins/strings.ts';
import { exceptionClass } from '../../objects/classes/exceptions.ts';
import { moduleOf, PyModule } from '../../objects/classes/module.ts';
import { nativeFunction } from '../../objects/classes/native.ts';
import { PyObject } from '../../objects/object.ts';
import { PyClass } from '../../objects/class.ts';
import { types } from '../../objects/types.ts';
import type { Value } from '../../objects/object.ts';
import { allFailing, failing } from './unavailable.ts';

const pgError = exceptionClass('Error', undefined, 'psycopg2');
const pgDatabaseError = exceptionClass('DatabaseError', pgError, 'psycopg2');
const pgOperationalError = exceptionClass('OperationalError', pgDatabaseError, 'psycopg2');
const pgErrors = {
  Error: pgError,
  DatabaseError: pgDatabaseError,
  OperationalError: pgOperationalError,
  InterfaceError: exceptionClass('InterfaceError', pgError, 'psycopg2'),
  ProgrammingError: exceptionClass('ProgrammingError', pgDatabaseError, 'psycopg2'),
} as const;

/** `psycopg2`: no server can be reached, so connecting raises OperationalError. */
export const psycopg2 = moduleOf('psycopg2', {
  ...pgErrors,
  connect: failing('psycopg2.connect', pgOperationalError),
});
export const psycopg2Extras = moduleOf('psycopg2.extras', {
  DictCursor: null,
  RealDictCursor: null,
  NamedTupleCursor: null,
});

const sqlError = exceptionClass('SQLAlchemyError', undefined, 'sqlalchemy.exc');
const sqlDatabaseError = exceptionClass('DatabaseError', sqlError, 'sqlalchemy.exc');
/** The exception of a query that cannot be answered. */
const sqlOperationalError = exceptionClass('OperationalError', sqlDatabaseError, 'sqlalchemy.exc');
export const sqlalchemyExc = moduleOf('sqlalchemy.exc', {
  SQLAlchemyError: sqlError,
  DBAPIError: sqlDatabaseError,
  DatabaseError: sqlDatabaseError,
  OperationalError: sqlOperationalError,
  ProgrammingError: exceptionClass('ProgrammingError', sqlDatabaseError, 'sqlalchemy.exc'),
  NoResultFound: exceptionClass('NoResultFound', sqlError, 'sqlalchemy.exc'),
  MultipleResultsFound: exceptionClass('MultipleResultsFound', sqlError, 'sqlalchemy.exc'),
});

const clauseClass = new PyClass('TextClause', [types.object], { module: 'sqlalchemy' });

/** `sqlalchemy.text(...)`: keeps its SQL for the session of an embedder. */
class TextClause extends PyObject {
  readonly #sql: string;

  constructor(sql: string) {
    super();
    this.#sql = sql;
  }
  get cls(): PyClass {
    return clauseClass;
  }
  override str(): string {
    return this.#sql;
  }
}

/** `func.count(...)`: every name is a function that raises. */
class FunctionNamespace extends PyModule {
  override attribute(name: string): Value | undefined {
    return name.startsWith('__')
      ? super.attribute(name)
      : failing(`sqlalchemy.func.${name}`, sqlOperationalError);
  }
}

export const sqlalchemy = moduleOf('sqlalchemy', {
  text: nativeFunction(
    'text(text)',
    (sql) => new TextClause(stringArgument(sql, 'text() argument')),
  ),
  func: new FunctionNamespace('sqlalchemy.func', []),
  exc: sqlalchemyExc,
  ...allFailing('sqlalchemy', sqlOperationalError, [
    'create_engine',
    'select',
    'and_',
    'or_',
    'not_',
    'case',
    'Table',
    'MetaData',
  ]),
});
export const sqlalchemyOrm = moduleOf(
  'sqlalchemy.orm',
  allFailing('sqlalchemy.orm', sqlOperationalError, ['Session', 'sessionmaker', 'scoped_session']),
);
