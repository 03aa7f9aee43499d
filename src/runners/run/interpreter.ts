import type { EnvironmentTerms } from '../../environments/environment.ts';
import { JobFailure } from '../../words/job-failure.ts';

/** The interpreters of an engine, best first. */
export type Interpreters = readonly EnvironmentTerms[];

/**
 * The interpreter of a run among those of its engine.
 *
 * @param name what was promised; undefined: the first will do
 * @throws JobFailure when the site has given it up meanwhile
 */
export function interpreterOf(
  environments: Interpreters,
  name: string | undefined,
): EnvironmentTerms {
  const found =
    name === undefined ? environments[0] : environments.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new JobFailure(
    'runner-failed',
    name === undefined
      ? 'this site names no Python for this runner'
      : `the destination no longer has the environment ${name}`,
  );
}
