import { api, outcomeOf, type Outcome } from '../api.ts';
import { serviceNow } from '../clock.ts';
import type { Documents } from '../contract.ts';
import { isLive } from '../live/changes.ts';
import { usePages, type Told } from '../lists/pages.ts';
import { addressOf } from '../route.ts';
import type { Instant } from '../time.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { days, fieldsOf, filterOf, PHASE_GROUPS, type JobFilter } from './list-filter.ts';

type Counts = NonNullable<Documents['UwsJobList']['counts']>;

/** A count of the strip: the jobs of a group, all of them or those that ended today. */
const SHOWN = [
  { group: 'running', isToday: false },
  { group: 'waiting', isToday: false },
  { group: 'done', isToday: true },
  { group: 'failed', isToday: true },
] as const;
const TOLD: Told<Counts> = { kind: 'job', changed: (rows) => rows };

/** How many jobs run, wait and ended today; each count is a link to its jobs. */
export function CountStrip({ filter }: { readonly filter: JobFilter }) {
  const { owner } = filter;
  const today = todayIn(zone.value);
  const { rows } = usePages(
    JSON.stringify([owner, today]),
    () => readCounts(owner, today),
    // Changes of the jobs of others are not told.
    isLive.value && owner === '' ? TOLD : undefined,
  );
  const counts = rows?.[0];
  const words = WORDS.jobs.counts;
  return (
    <ul class="plain row counts" aria-label={words.title}>
      <Choice filter={filter} choice={{ owner }} text={words.all} />
      {SHOWN.map(({ group, isToday }) => (
        <Choice
          key={group}
          filter={filter}
          choice={{ owner, phase: group, ...(isToday && { ended: today }) }}
          count={counts && textOf(counts, PHASE_GROUPS[group])}
          text={words[group]}
        />
      ))}
    </ul>
  );
}

type ChoiceProps = {
  /** of the list now */
  readonly filter: JobFilter;
  /** what the list has after a click */
  readonly choice: Partial<JobFilter>;
  /** undefined: it is not known yet */
  readonly count?: string | undefined;
  readonly text: string;
};

function Choice({ filter, choice, count, text }: ChoiceProps) {
  const wanted = fieldsOf({ ...filterOf(new URLSearchParams()), ...choice });
  const isShown = JSON.stringify(wanted) === JSON.stringify(fieldsOf(filter));
  return (
    <li>
      <a
        class="button"
        href={addressOf('jobs', wanted)}
        aria-current={isShown ? 'true' : undefined}
      >
        {count !== undefined && <strong class="steady">{count} </strong>}
        {text}
      </a>
    </li>
  );
}

/** The first moment of the day. */
function todayIn(zoneName: string): Instant {
  const now = serviceNow();
  return days.instantOf(days.textOf(now, zoneName), zoneName) ?? now;
}

/** @param group the phases of the jobs */
function textOf({ phases, complete }: Counts, group: readonly string[]): string {
  const jobs = phases.reduce((sum, one) => sum + (group.includes(one.phase) ? one.jobs : 0), 0);
  return `${jobs.toLocaleString('en')}${complete || jobs === 0 ? '' : '+'}`;
}

async function readCounts(
  owner: string,
  today: Instant,
): Promise<Outcome<{ readonly rows: readonly Counts[]; readonly next: undefined }>> {
  const query = {
    LIMIT: 1,
    COUNTS: new Date(today).toISOString(),
    ...(owner !== '' && { OWNER: owner }),
  };
  const outcome = await outcomeOf(api.GET('/jobs', { params: { query } }));
  if (!outcome.ok) return outcome;
  const { counts } = outcome.data;
  return { ...outcome, data: { rows: counts === undefined ? [] : [counts], next: undefined } };
}
