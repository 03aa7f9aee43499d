import { invalidParameter, type ControlParameters, readCount, singleAs } from './control.ts';
import { parsePhase, type Phase, PHASES } from '../phases.ts';
import { readTime } from './time.ts';

/** Filters of the job list; a job must pass all of them (UWS § 2.2.2.1). */
export type ListFilter = {
  readonly phases: ReadonlySet<Phase>;
  /** created strictly after this, by the time that the list shows */
  readonly after?: Date;
  /** at most this number of jobs, the most recent ones */
  readonly last?: number;
};

/** The list has archived jobs only when PHASE names ARCHIVED. */
const UNLESS_ASKED = new Set(PHASES.filter((phase) => phase !== 'ARCHIVED'));

/** The values of PHASE, for messages. */
export const ONE_OF_PHASES = `one of ${PHASES.join(', ')}`;

/**
 * Reads PHASE (repeatable, a union), AFTER and LAST, and ignores all other parameters.
 *
 * @throws Problem `parameter-invalid` (400).
 */
export function readListFilter(parameters: ControlParameters): ListFilter {
  const phases = parameters.get('PHASE')?.values ?? [];
  const after = singleAs(parameters, 'AFTER', 'a UTC time such as 2026-08-10T10:00:00Z', readTime);
  const last = singleAs(
    parameters,
    'LAST',
    'a whole number above 0',
    (text) => readCount(text) || undefined,
  );
  return {
    phases: phases.length === 0 ? UNLESS_ASKED : readPhases(phases),
    ...(after !== undefined && { after }),
    ...(last !== undefined && { last }),
  };
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
