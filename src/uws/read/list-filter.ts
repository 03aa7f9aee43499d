import { Problem } from '../../words/problem.ts';
import { A_JOB_NAME, isJobName } from '../../planner/job-name.ts';
import { isXmlText } from '../../xml/escape.ts';
import { invalidParameter, type ControlParameters, readCount, singleAs } from './control.ts';
import { parsePhase, type Phase, PHASES } from '../phases.ts';
import { readCursor, type ListPlace } from './list-cursor.ts';
import { readTime } from './time.ts';

/** Filters of the job list; a job must pass all of them (UWS § 2.2.2.1). */
export type ListFilter = {
  readonly phases: ReadonlySet<Phase>;
  /** created strictly after this, by the time that the list shows */
  readonly after?: Date;
  /** created strictly before this, by the time that the list shows */
  readonly before?: Date;
  /** ended strictly after this, by the time that the list shows */
  readonly endedAfter?: Date;
  /** at one of these destinations */
  readonly destinations?: readonly string[];
  /** its name contains this text, in upper or lower case */
  readonly name?: string;
};

/** How much of the list a client wants. */
export type ListExtent =
  | { readonly kind: 'all' }
  /** this number of jobs, the most recent ones */
  | { readonly kind: 'last'; readonly most: number }
  /** a page, from the beginning or after a place */
  | { readonly kind: 'page'; readonly limit: number; readonly after: ListPlace | undefined };

/** The list has archived jobs only when PHASE names ARCHIVED. */
const UNLESS_ASKED = new Set(PHASES.filter((phase) => phase !== 'ARCHIVED'));

/** Jobs of a page: unless its client says it, and at most. */
const PAGE = { usual: 100, most: 1000 };
const A_TIME = 'a UTC time such as 2026-08-10T10:00:00Z';
const A_COUNT = 'a whole number above 0';

/** The values of PHASE, for messages. */
export const ONE_OF_PHASES = `one of ${PHASES.join(', ')}`;

/**
 * Reads PHASE and DESTINATION (repeatable, a union), AFTER, BEFORE, ENDEDAFTER and NAME, and ignores
 * all other parameters.
 *
 * @throws Problem `parameter-invalid` (400).
 */
export function readListFilter(parameters: ControlParameters): ListFilter {
  const phases = parameters.get('PHASE')?.values ?? [];
  const destinations = parameters.get('DESTINATION')?.values;
  const after = singleAs(parameters, 'AFTER', A_TIME, readTime);
  const before = singleAs(parameters, 'BEFORE', A_TIME, readTime);
  const endedAfter = singleAs(parameters, 'ENDEDAFTER', A_TIME, readTime);
  const name = singleAs(parameters, 'NAME', A_JOB_NAME, (text) =>
    isJobName(text) ? text : undefined,
  );
  return {
    phases: phases.length === 0 ? UNLESS_ASKED : readPhases(phases),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(endedAfter !== undefined && { endedAfter }),
    // PostgreSQL refuses NUL, and no destination has it.
    ...(destinations !== undefined && { destinations: destinations.filter(isXmlText) }),
    ...(name !== undefined && { name }),
  };
}

/**
 * Reads COUNTS, an extension of UWS: with the list in JSON the client wants to know how many of its
 * jobs have not ended, or ended after this time.
 *
 * @throws Problem `parameter-invalid` (400).
 */
export function readCountsSince(parameters: ControlParameters): Date | undefined {
  return singleAs(parameters, 'COUNTS', A_TIME, readTime);
}

/**
 * Reads LAST (UWS § 2.2.2.1), or LIMIT and CURSOR, an extension of UWS.
 *
 * @throws Problem `parameter-invalid` (400), also for LAST with one of the others
 */
export function readListExtent(parameters: ControlParameters): ListExtent {
  const positive = (text: string): number | undefined => readCount(text) || undefined;
  const last = singleAs(parameters, 'LAST', A_COUNT, positive);
  const limit = singleAs(parameters, 'LIMIT', A_COUNT, positive);
  const after = singleAs(parameters, 'CURSOR', 'that of the page before', readCursor);
  if (limit === undefined && after === undefined)
    return last === undefined ? { kind: 'all' } : { kind: 'last', most: last };
  if (last === undefined)
    return { kind: 'page', limit: Math.min(limit ?? PAGE.usual, PAGE.most), after };
  throw new Problem('parameter-invalid', 'LAST cannot be given with LIMIT or CURSOR.', {
    errors: [{ path: 'LAST', text: 'must not be given with LIMIT or CURSOR' }],
  });
}

function readPhases(values: readonly string[]): ReadonlySet<Phase> {
  return new Set(
    values.map((text) => {
      const phase = parsePhase(text);
      if (phase === undefined) throw invalidParameter('PHASE', text, ONE_OF_PHASES);
      return phase;
    }),
  );
}
