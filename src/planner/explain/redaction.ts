import { parseTrace } from '../../vortex/decision-parse.ts';
import type { TraceStep } from '../../vortex/index.ts';
import type { Inputs } from '../considering.ts';
import type { KeptAsk } from '../record/kept-ask.ts';

/** The inputs that the owner of a decision may see. */
export type ShownInputs = {
  readonly job: Readonly<Record<string, unknown>>;
  readonly circumstances: Readonly<Record<string, unknown>>;
};

type Total = {
  readonly state: string;
  readonly jobs: number;
  readonly cores: number;
  readonly mem: number;
};

/** Removes what belongs to others: their jobs become totals, answers of web servers a number. */
export function ownInputs({
  job: { otherJobs, ...job },
  circumstances: { answers, ...circumstances },
}: Inputs): ShownInputs {
  return {
    job: { ...job, ...(otherJobs !== undefined && { otherJobs: totalsOf(otherJobs) }) },
    circumstances: { ...circumstances, ...(answers !== undefined && { answers: answers.length }) },
  };
}

const E_MAIL = /[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** The steps of a decision without e-mail addresses of others. */
export function ownTrace({
  trace,
  inputs,
}: Pick<KeptAsk, 'trace' | 'inputs'>): readonly TraceStep[] {
  return parseTrace(withoutOthers(trace, inputs?.job.user?.email));
}

/** The jobs of others as totals, without names, tools and destinations. */
function totalsOf(jobs: NonNullable<Inputs['job']['otherJobs']>): readonly Total[] {
  return [...Map.groupBy(jobs, ({ state }) => state)].map(([state, some]) => ({
    state,
    jobs: some.reduce((sum, { count = 1 }) => sum + count, 0),
    cores: some.reduce((sum, { cores }) => sum + (cores ?? 0), 0),
    mem: some.reduce((sum, { mem }) => sum + (mem ?? 0), 0),
  }));
}

/** Replaces the e-mail addresses of others in a JSON value: conditions of rules may name people. */
function withoutOthers(value: unknown, own: string | undefined): unknown {
  if (typeof value === 'string')
    return value.replaceAll(E_MAIL, (found) => (found === own ? found : '(somebody)'));
  if (Array.isArray(value)) return value.map((item) => withoutOthers(item, own));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutOthers(inner, own)]),
  );
}
