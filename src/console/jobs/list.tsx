import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, outcomeOf } from '../api.ts';
import { shortTypeOf } from '../ask/document.ts';
import type { Documents } from '../contract.ts';
import { Page } from '../page.tsx';
import { site } from '../site-of.ts';
import { clockText, shown } from '../time.ts';
import type { Trouble } from '../trouble.ts';
import { TroubleBox } from '../trouble-box.tsx';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';
import { JobFilters } from './list-filters.tsx';
import { filterOf, queryOf, type JobFilter } from './list-filter.ts';
import { isSeen } from './visible.ts';

type Row = Documents['UwsJobList']['jobs'][number];
type Listed = {
  readonly rows: readonly Row[] | undefined;
  readonly next: string | undefined;
  readonly trouble: Trouble | undefined;
};

const PAGE = 50;
const AGAIN_MS = 10_000;

/** The jobs, newest first: what, where and when, with filters in the address. */
export function JobsScreen({ fields }: { readonly fields: URLSearchParams }) {
  const filter = filterOf(fields);
  const { listed, more, read } = useJobs(filter);
  const { rows, next, trouble } = listed.value;
  const words = WORDS.jobs;
  return (
    <Page title={words.title}>
      <JobFilters filter={filter} />
      {trouble !== undefined && <TroubleBox trouble={trouble} again={read} />}
      {rows === undefined && trouble === undefined && <p role="status">{WORDS.shell.loading}</p>}
      {rows?.length === 0 && <Empty filter={filter} />}
      {rows !== undefined && rows.length > 0 && (
        <JobTable rows={rows} isOwnerShown={filter.owner !== ''} />
      )}
      {next !== undefined && (
        <p>
          <button type="button" onClick={() => void more(next)}>
            {words.older}
          </button>
        </p>
      )}
    </Page>
  );
}

function useJobs(filter: JobFilter) {
  const listed = useSignal<Listed>({ rows: undefined, next: undefined, trouble: undefined });
  const key = JSON.stringify(filter);
  const read = async (before: readonly Row[], cursor?: string): Promise<void> => {
    const outcome = await readJobs(filter, cursor);
    if (key !== JSON.stringify(filter)) return;
    listed.value = outcome.ok
      ? { rows: [...before, ...outcome.data.jobs], next: outcome.data.next, trouble: undefined }
      : { ...listed.value, trouble: outcome.trouble };
  };
  useEffect(() => {
    if (!isSeen.value) return undefined;
    void read([]);
    // Longer lists stay as they are, or the reader would lose the place.
    const timer = setInterval(() => {
      if ((listed.value.rows?.length ?? 0) <= PAGE) void read([]);
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [key, isSeen.value]);
  return {
    listed,
    read: () => void read([]),
    more: (cursor: string) => read(listed.value.rows ?? [], cursor),
  };
}

function readJobs(filter: JobFilter, cursor: string | undefined) {
  const query = {
    ...queryOf(filter),
    LIMIT: PAGE,
    ...(cursor !== undefined && { CURSOR: cursor }),
  };
  return outcomeOf(api.GET('/jobs', { params: { query } }));
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
    <div class="card wide" tabIndex={0} role="group" aria-label={WORDS.jobs.title}>
      <table class="full">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <JobRow key={row.id} row={row} isOwnerShown={isOwnerShown} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function JobRow({ row, isOwnerShown }: { readonly row: Row; readonly isOwnerShown: boolean }) {
  return (
    <tr>
      <td>
        <a href={`#/jobs/${row.id}`}>{row.name ?? `… ${row.id.slice(-12)}`}</a>
      </td>
      {isOwnerShown && <td>{row.ownerId ?? WORDS.jobs.nobody}</td>}
      <td>{titleOf(row.type)}</td>
      <td>{row.destination}</td>
      <td>
        <span class={`phase ${row.phase}`}>{WORDS.jobs.phases[row.phase]}</span>
      </td>
      <td>{shown(Date.parse(row.startTime ?? row.offeredStart), zone.value)}</td>
      <td class="steady">{ranText(row)}</td>
      <td>{amountsText(row.resources)}</td>
    </tr>
  );
}

function titleOf(type: string | null): string {
  if (type === null) return '';
  return site.value.kinds.find((kind) => kind.type === type)?.title ?? shortTypeOf(type);
}

function ranText({ startTime, endTime }: Row): string {
  if (startTime === null) return '';
  const end = endTime === null ? Date.now() : Date.parse(endTime);
  return clockText((end - Date.parse(startTime)) / 1000);
}

function amountsText({ cores, memory, gpus }: Documents['UwsAmounts']): string {
  return [
    `${cores} ${cores === 1 ? 'core' : 'cores'}`,
    `${Math.round(memory * 100) / 100} GiB`,
    ...(gpus === undefined ? [] : [`${gpus.count} ${gpus.type.split('/').at(-1)}`]),
  ].join(', ');
}
