import { dirname } from 'node:path';
import { ConfigurationError } from './load.ts';

/** Why a site that can be read does not come into force, in words for everybody. */
export class ReloadRefused extends Error {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.reasons = reasons;
  }
}

/** Nobody reads more of them in a health check; the log has all. */
const MOST_SHOWN = 10;

/**
 * What is wrong with a reload of the site file, in words for everybody: paths relative to
 * its folder, and the first ten.
 */
export function reloadTrouble(error: unknown, siteFile: string): readonly string[] {
  const reasons = [...new Set(reasonsOf(error))].map((reason) =>
    reason.replaceAll(`${dirname(siteFile)}/`, ''),
  );
  const left = reasons.length - MOST_SHOWN;
  return [
    'the site file cannot be reloaded; what was read before is in force',
    ...reasons.slice(0, MOST_SHOWN),
    ...(left > 0 ? [`and ${left} more`] : []),
  ];
}

/**
 * What a site file says of credentials and places is not for everybody, so of a
 * mistake in it the place alone is.
 */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ReloadRefused) return error.reasons;
  if (error instanceof ConfigurationError)
    return error.problems.map(
      ({ file, line, column }) => `${file}:${line}:${column}: the log says what is wrong there`,
    );
  return ['the log says why'];
}
