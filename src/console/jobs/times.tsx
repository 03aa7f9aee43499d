import type { Documents } from '../contract.ts';
import { serviceNow, ticks } from '../clock.ts';
import { clockText, lengthText, shown } from '../time.ts';
import { isOfOthers } from '../who.ts';
import { WORDS } from '../words.ts';
import { zone } from '../zone.tsx';

type Job = Documents['UwsJob'];

/** When a job starts, how long it runs, or what it took. */
export function JobTimes({ job }: { readonly job: Job }) {
  const words = WORDS.job;
  const { queuePosition, offeredStart, claimedStart, usage, destination } = job.jobInfo.session;
  const limit = lengthText(job.executionDuration);
  const facts: (readonly [string, string])[] = [
    ...(isOfOthers(job.ownerId) ? [[words.owner, job.ownerId ?? WORDS.jobs.nobody] as const] : []),
    [words.where, destination],
  ];
  if (job.startTime === null && job.endTime === null) {
    facts.push([words.starts, shown(Date.parse(claimedStart ?? offeredStart), zone.value)]);
    if (queuePosition !== null) facts.push([words.place, placeText(queuePosition)]);
    facts.push([words.mayRun, limit]);
  } else {
    if (job.startTime !== null)
      facts.push([words.started, shown(Date.parse(job.startTime), zone.value)]);
    if (job.endTime !== null) facts.push([words.ended, shown(Date.parse(job.endTime), zone.value)]);
  }
  if (usage?.peakMemory != null) facts.push([words.memory, `${Math.round(usage.peakMemory)} MiB`]);
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {job.startTime !== null && (
        <div>
          <dt>{job.endTime === null ? words.runs : words.ran}</dt>
          <dd class="steady">
            <RunTime job={job} start={job.startTime} /> {words.of(limit)}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** Renders itself each second while the job runs. */
function RunTime({ job, start }: { readonly job: Job; readonly start: string }) {
  const end = job.endTime === null ? serviceNow() + 0 * ticks.value : Date.parse(job.endTime);
  return <>{clockText((end - Date.parse(start)) / 1000)}</>;
}

/** The service counts to 1,000. */
function placeText(place: number): string {
  return place > 1000 ? WORDS.job.farBack : String(place);
}
