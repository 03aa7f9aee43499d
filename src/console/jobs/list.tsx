import type { ComponentChildren } from 'preact';
import { api, outcomeOf, type Outcome } from '../api.ts';
import { serviceNow } from '../clock.ts';
import type { Documents } from '../contract.ts';
import { Page } from '../page.tsx';
import { DataTable } from '../lists/data-table.tsx';
import { Older } from '../lists/older.tsx';
import { PAGE, usePages, type Told } from '../lists/pages.ts';
import { seenName } from '../lists/seen-name.ts';
import type { Change } from '../client.ts';
import { isLive } from '../live/changes.ts';
import { kindTitle } from '../ask/kind-title.ts';
import { route } from '../router.ts';
import { clockText, shown } from '../time.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { CountStrip } from './counts.tsx';
import { JobFilters } from './list-filters.tsx';
import { filterOf, PHASE_GROUPS, queryOf, type JobFilter } from './list-filter.ts';
import { shortTypeOf } from '../words/short-type.ts';

type Row = Documents['UwsJobList']['jobs'][number];

const PHASES = Object.values(PHASE_GROUPS).flat();
const TOLD: Told<Row> = { kind: 'job', changed };

/** The jobs, newest first: what, where and when, with filters in the address. */
export default function JobsScreen() {
  const filter = filterOf(
    route.value.screen === 'jobs' ? route.value.fields : new URLSearchParams(),
  );
  const { rows, next, trouble, read, more } = usePages(
    JSON.stringify(filter),
    (cursor) => readJobs(filter, cursor),
    // Changes of the jobs of others are not told.
    isLive.value && filter.owner === '' ? TOLD : undefined,
  );
  const words = WORDS.jobs;
  return (
    <Page title={words.title}>
      <CountStrip filter={filter} />
      <JobFilters filter={filter} />
      {trouble !== undefined && <TroubleBox trouble={trouble} again={read} />}
      {rows === undefined && trouble === undefined && <p role="status">{WORDS.shell.loading}</p>}
      {rows?.length === 0 && <Empty filter={filter} />}
      {rows !== undefined && rows.length > 0 && (
        <JobTable rows={rows} isOwnerShown={filter.owner !== ''} />
      )}
      <Older count={rows?.length ?? 0} isMore={next !== undefined} onMore={more} />
    </Page>
  );
}

async function readJobs(
  filter: JobFilter,
  cursor: string | undefined,
): Promise<Outcome<{ readonly rows: readonly Row[]; readonly next: string | undefined }>> {
  const query = {
    ...queryOf(filter),
    LIMIT: PAGE,
    ...(cursor !== undefined && { CURSOR: cursor }),
  };
  const outcome = await outcomeOf(api.GET('/jobs', { params: { query } }));
  if (!outcome.ok) return outcome;
  const { jobs, next } = outcome.data;
  return { ...outcome, data: { rows: jobs, next } };
}

/** The rows with the new phase of a job that is among them. */
function changed(rows: readonly Row[], change: Change): readonly Row[] {
  if (change.kind !== 'job') return rows;
  const at = rows.findIndex(({ id }) => id === change.id);
  const row = rows[at];
  const phase = PHASES.find((each) => each === change.phase);
  return row === undefined || phase === undefined ? rows : rows.with(at, { ...row, phase });
}

function Empty({ filter }: { readonly filter: JobFilter }) {
  const words = WORDS.jobs;
  const isFiltered = Object.values(filter).some((value) => value !== '' && value !== undefined);
  return (
    <p class="card">
      {isFiltered ? words.noneSuch : words.none}{' '}
      <a href={isFiltered ? '#/jobs' : '#/ask'}>{isFiltered ? words.all : words.toAsk}</a>
    </p>
  );
}

function JobTable({
  rows,
  isOwnerShown,
}: {
  readonly rows: readonly Row[];
  readonly isOwnerShown: boolean;
}) {
  const words = WORDS.jobs.columns;
  const columns = [
    words.name,
    ...(isOwnerShown ? [words.owner] : []),
    words.what,
    words.where,
    words.phase,
    words.start,
    words.ran,
    words.gets,
  ];
  return (
    <div class="card">
      <DataTable
        label={WORDS.jobs.title}
        columns={columns}
        rows={rows.map((row) => ({ key: row.id, cells: cellsOf(row, isOwnerShown) }))}
      />
    </div>
  );
}

function cellsOf(row: Row, isOwnerShown: boolean): readonly ComponentChildren[] {
  return [
    <a href={`#/jobs/${row.id}`}>{seenName(row.name) ?? `… ${row.id.slice(-12)}`}</a>,
    ...(isOwnerShown ? [row.ownerId ?? WORDS.jobs.nobody] : []),
    titleOf(row.type),
    row.destination,
    <span class={`phase ${row.phase}`}>{WORDS.jobs.phases[row.phase]}</span>,
    shown(Date.parse(row.startTime ?? row.offeredStart), zone.value),
    row.startTime !== null && <span class="steady">{ranText(row)}</span>,
    amountsText(row.resources),
  ];
}

function titleOf(type: string | null): string {
  if (type === null) return '';
  return kindTitle(type);
}

function ranText({ startTime, endTime }: Row): string {
  if (startTime === null) return '';
  const end = endTime === null ? serviceNow() : Date.parse(endTime);
  return clockText((end - Date.parse(startTime)) / 1000);
}

function amountsText({ cores, memory, gpus }: Documents['UwsAmounts']): string {
  return [
    `${cores} ${cores === 1 ? 'core' : 'cores'}`,
    `${Math.round(memory * 100) / 100} GiB`,
    ...(gpus === undefined ? [] : [`${gpus.count} ${shortTypeOf(gpus.type)}`]),
  ].join(', ');
}
