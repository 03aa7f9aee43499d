import { PyError } from '../../errors.ts';
import { PyException, exceptionClass, exceptionNamed } from '../../objects/classes/exceptions.ts';

export const statisticsError = exceptionClass(
  'StatisticsError',
  exceptionNamed('ValueError'),
  'statistics',
);

/** @throws StatisticsError */
export function fail(text: string): never {
  throw new PyError('StatisticsError', [text], text, new PyException(statisticsError, [text]));
}

/** @throws StatisticsError for too few values */
export function needsMore(name: string, least = 'one data point'): never {
  return fail(`${name} requires at least ${least}`);
}
