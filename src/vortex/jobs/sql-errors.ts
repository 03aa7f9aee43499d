import {
  PyClass,
  PyError,
  PyException,
  PyModule,
  raise,
  standardModules,
} from '../../python/index.ts';

/** Raises an exception of `sqlalchemy.exc`, which rules catch when a database does not answer. */
export function raiseSql(
  name: 'MultipleResultsFound' | 'NoResultFound' | 'OperationalError',
  message: string,
): never {
  const exc = standardModules.get('sqlalchemy.exc');
  const cls = exc instanceof PyModule ? exc.members.get(name) : undefined;
  if (!(cls instanceof PyClass)) return raise('RuntimeError', message);
  throw new PyError(cls.name, [message], message, new PyException(cls, [message]));
}
