import { dirname } from 'node:path';
import { ConfigurationError } from './load.ts';

/** A readable site cannot come into force; the reasons may be read by everybody. */
export class ReloadRefused extends Error {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.reasons = reasons;
  }
}

/** How many a health check shows; the log has all. */
const MOST_SHOWN = 10;

/**
 * The problems of a reload of the site file, in words that everybody may read: the first ten, with
 * paths relative to its folder.
 */
export function reloadTrouble(error: unknown, siteFile: string): readonly string[] {
  const reasons = [...new Set(reasonsOf(error))].map((reason) =>
    reason.replaceAll(`${dirname(siteFile)}/`, ''),
  );
  const left = reasons.length - MOST_SHOWN;
  return [
    'the site file cannot be reloaded; the previous one stays in force',
    ...reasons.slice(0, MOST_SHOWN),
    ...(left > 0 ? [`and ${left} more`] : []),
  ];
}

/** Everybody sees only the place of an error, because its text may name credentials and paths. */
function reasonsOf(error: unknown): readonly string[] {
  if (error instanceof ReloadRefused) return error.reasons;
  if (error instanceof ConfigurationError)
    return error.problems.map(
      ({ file, line, column }) => `${file}:${line}:${column}: the log says what is wrong there`,
    );
  return ['the log says why'];
}
