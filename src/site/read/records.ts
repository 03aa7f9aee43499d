import { seconds, type Seconds } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readDuration } from '../../yaml/fields.ts';
import type { Quota } from '../quotas.ts';

/** How long records are kept. */
export type RecordTerms = {
  /** records of a NO */
  readonly refusals: Seconds;
  /** records of a YES without an accepted offer */
  readonly offers: Seconds;
  /** records of a job after its results are removed, and other data about its client: names, use */
  readonly jobs: Seconds;
};

const DAY_S = 86_400;
/** Answers are repeated under their `Idempotency-Key` for a day. */
const SHORTEST_S = DAY_S;

const DEFAULT_RECORDS: RecordTerms = {
  refusals: seconds(DAY_S),
  offers: seconds(7 * DAY_S),
  jobs: seconds(30 * DAY_S),
};

/** Reads the section `records` of the site file. */
export function readRecords(
  reader: Reader,
  node: Node | undefined,
  quotas: readonly Quota[],
): RecordTerms {
  const found = reader.section(node, 'records', ['refusals', 'offers', 'jobs']);
  const read = (key: keyof RecordTerms): Seconds => {
    const at = found[key];
    const value = readDuration(reader, at, `records.${key}`, DEFAULT_RECORDS[key]);
    if (at !== undefined && value < SHORTEST_S)
      reader.problem(
        at,
        `records.${key} must be at least P1D, since answers are repeated under their ` +
          'Idempotency-Key for a day',
      );
    return value;
  };
  const terms: RecordTerms = {
    refusals: read('refusals'),
    offers: read('offers'),
    jobs: read('jobs'),
  };
  const window = Math.max(
    0,
    ...quotas.flatMap(({ limits }) => (limits.gpuSeconds === undefined ? [] : [limits.window])),
  );
  if (found.jobs !== undefined && terms.jobs < window)
    reader.problem(
      found.jobs,
      `records.jobs must be at least PT${window}S, the longest window in which quotas add up what jobs used`,
    );
  return terms;
}
