import type { ChildProcess } from 'node:child_process';
import { normalize } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../../tasks/task.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { fetchSource, type Fetched } from '../fetch-source.ts';
import type { Workload } from '../port.ts';
import { unstarted } from '../unstarted.ts';
import { cgroupOf, createCgroup, emptyCgroup, removeCgroup, type Cgroup } from './cgroup.ts';
import { deviceEnvironment, lendTo } from './devices.ts';
import { createDirectory, readText, writeJson, writeJsonOnce, type JobDirectory } from './directory.ts';
import type { Ground } from './ground.ts';
import { grant, JOB_PATH, start } from './start.ts';
import type { RunRecord } from './record.ts';
import { loadVolumes, stagedOf } from './staging.ts';
import { parseStatus } from './status.ts';
import { wallsOf } from './walls.ts';
import type { Way } from './way.ts';

/** What every job finds in its environment, and nothing else of the service's. */
const environmentOf = ({ limits, environment }: Workload, place: JobDirectory): Readonly<Record<string, string>> => ({
  ...environment,
  PATH: JOB_PATH,
  HOME: place.work,
  TMPDIR: place.tmp,
  LANG: 'C.UTF-8',
  OMP_NUM_THREADS: String(Math.max(1, Math.floor(limits.cores / 1000))),
});

/** @throws JobFailure */
const check = ({ task, volumes }: Workload, way: Way): void => {
  if (!way.runs.includes(task.type)) throw new JobFailure('runner-failed', `the runner ${way.name} does not run ${task.type}`);
  const alike = new Set(volumes.map(({ name }) => name)).size < volumes.length
    || new Set(volumes.map(({ path }) => normalize(`${path}/`))).size < volumes.length;
  const problem =
    volumes.map((volume) => way.volumeProblem(volume)).find((text) => text !== undefined) ??
    (alike ? 'two volumes have the same name or the same path' : undefined);
  if (problem !== undefined) throw new JobFailure('runner-failed', problem);
};

const fetchAt = (ground: Ground) => async (source: Source): Promise<Fetched> =>
  source.kind === 'inline' ? { ok: true, content: Buffer.from(source.text) } : fetchSource(source.url, ground.urls);

/**
 * Waits until the launch script has said who it is, so that whoever asks next finds it.
 *
 * @throws Error when it ended without a word, or said none for 10 s
 */
export const untilStarted = async (place: Pick<JobDirectory, 'status'>, child: Pick<ChildProcess, 'exitCode' | 'signalCode' | 'kill'>): Promise<void> => {
  for (let waited = 0; waited < 10_000; waited += 10) {
    // Before the file is read: a short job may begin and end while it is.
    const isOver = child.exitCode !== null || child.signalCode !== null;
    if (parseStatus((await readText(place.status)) ?? '').started !== undefined) return;
    if (isOver) break;
    await delay(10);
  }
  child.kill('SIGKILL');
  throw new Error('the launch script did not start');
};

const lendUser = async ({ users }: Ground, place: JobDirectory, record: Omit<RunRecord, 'uid'>): Promise<number | undefined> => {
  if (users === undefined) return undefined;
  const uid = await users.lend(place.job, async (wanted) => writeJson(place.record, { ...record, uid: wanted }));
  if (uid === undefined) throw new Error('all users that jobs can run as are lent to running jobs');
  return uid;
};

const recordOf = ({ isolation: { cgroups } }: Ground, workload: Workload, place: JobDirectory): Omit<RunRecord, 'uid'> => ({
  limits: workload.limits,
  staged: stagedOf(workload, place),
  cgroup: cgroups && cgroupOf(cgroups, workload.job),
});

const discard = async (cgroup: Cgroup): Promise<void> => {
  await emptyCgroup(cgroup);
  await removeCgroup(cgroup);
};

const run = async (
  ground: Ground,
  way: Way,
  workload: Workload,
  place: JobDirectory,
): Promise<ChildProcess> => {
  const { job, limits } = workload;
  const record = recordOf(ground, workload, place);
  const { cgroup } = record;
  check(workload, way);
  const prepared = await way.prepare(workload, place, { fetch: fetchAt(ground) });
  if (!prepared.ok) throw new JobFailure(prepared.code, prepared.message, prepared.transient);
  await loadVolumes(ground.stager, workload, place);
  const { command, reserve } = prepared;
  const devices = await lendTo(way.devices, workload);
  const walls = wallsOf(ground, way, workload, place, { cgroup, devices });
  // The client's variables come first: none of them can take the place of ours.
  const environment = { ...prepared.environment, ...environmentOf(workload, place), ...(way.devices && deviceEnvironment(devices)) };
  const uid = await lendUser(ground, place, record);
  try {
    if (uid !== undefined) await grant(place, uid);
    if (cgroup !== undefined) createCgroup(cgroup, limits, walls.tasks);
    const child = await start(place, { job, command, environment, limits, uid, reserve, ...walls });
    await untilStarted(place, child);
    return child;
  } catch (error) {
    if (cgroup !== undefined) await discard(cgroup);
    if (uid !== undefined) await ground.users?.giveBack(job, uid);
    throw error;
  }
};

/**
 * Fetches what the task names, fills its volumes, and starts it in a fresh directory. A failure is written down as the job's outcome.
 *
 * @returns the launch script, or undefined when the job did not start
 */
export const launch = async (
  ground: Ground,
  way: Way,
  workload: Workload,
  place: JobDirectory,
): Promise<ChildProcess | undefined> => {
  await createDirectory(place);
  await writeJson(place.record, recordOf(ground, workload, place));
  try {
    return await run(ground, way, workload, place);
  } catch (error) {
    await writeJsonOnce(place.outcome, unstarted(error));
    return undefined;
  }
};
