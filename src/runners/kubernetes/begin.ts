import { chown, writeFile } from 'node:fs/promises';
import type { Workload } from '../port.ts';
import { createDirectory, writeJson, type JobDirectory } from '../process/directory.ts';
import type { Ground } from '../process/ground.ts';
import { loadVolumes, stagedOf } from '../process/staging.ts';
import { grant } from '../process/start.ts';
import { createVolumes } from '../volumes.ts';
import { planChart } from './chart/plan.ts';
import type { Cluster } from './cluster.ts';
import { ALREADY_EXISTS, ClusterRefusal } from './refusal.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { writeSent, type Intent } from './files.ts';
import { jobManifest } from './job.ts';
import { networkPolicy } from './network.ts';
import { planProgram } from './program.ts';
import { isForRoom } from './refused-pod.ts';
import type { PodUser } from './pod.ts';
import type { KubernetesSettings } from './settings.ts';

/** What jobs are prepared with. */
export type Site = { readonly ground: Ground; readonly settings: KubernetesSettings };

/** The user of a job's pods, and its directories made his. Nothing hostile is in them yet. */
const giveUser = async ({ ground }: Site, place: JobDirectory, note: (uid: number) => Promise<void>): Promise<PodUser> => {
  if (ground.users === undefined) {
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    if (uid === 0) throw new JobFailure('runner-failed', 'no pod runs as root: this executor must give jobs users of their own, or not be root');
    return { uid, gid };
  }
  const uid = await ground.users.lend(place.job, note);
  if (uid === undefined) throw new JobFailure('runner-failed', 'all users that jobs can run as are lent to running jobs', true);
  await grant(place, uid);
  for (const path of [place.stdout, place.stderr]) await chown(path, uid, uid);
  return { uid, gid: uid };
};

/**
 * Makes everything of a job that its pods will find, in a fresh directory, and what the cluster is to be told.
 *
 * @throws JobFailure
 */
export const prepare = async (site: Site, workload: Workload, place: JobDirectory): Promise<Intent> => {
  const { ground, settings } = site;
  const { task, limits, volumes, job } = workload;
  await createDirectory(place);
  const staged = stagedOf(workload, place);
  await writeJson(place.record, { limits, staged });
  for (const path of [place.stdout, place.stderr]) await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  const program = task.type === 'helm-chart' ? undefined : await planProgram(task, place, settings, ground.urls);
  await createVolumes(volumes, place);
  await loadVolumes(ground.stager, workload, place);
  const user = await giveUser(site, place, async (uid) => writeJson(place.record, { limits, staged, uid }));
  const since = Date.now();
  if (task.type === 'helm-chart') {
    const manifests = await planChart({ settings, urls: ground.urls, workload, place, user }, task);
    return { since, output: 'logs', manifests: [networkPolicy(job, settings.namespace, { outbound: false, among: true }), ...manifests] };
  }
  if (program === undefined) throw new Error('a task that is no chart is a program');
  const policy = networkPolicy(job, settings.namespace, { outbound: program.outbound, among: false });
  return { since, output: program.output, manifests: [policy, jobManifest(workload, place, program, settings, user)] };
};

const REFUSED = new Set([400, 403, 404, 413, 422]);
const isRefusal = (error: unknown): error is ClusterRefusal => error instanceof ClusterRefusal && (REFUSED.has(error.status) || error.reason === ALREADY_EXISTS);

/**
 * Makes what the intent names; what is there already stays.
 *
 * @throws JobFailure when the cluster does not want it, or an error of the connection
 */
export const send = async (cluster: Pick<Cluster, 'create'>, place: JobDirectory, { manifests }: Intent): Promise<void> => {
  for (const manifest of manifests) {
    try {
      await cluster.create(manifest);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new JobFailure('runner-failed', `the cluster does not take the ${manifest.kind} of the job: ${error.message}`, isForRoom(error.message));
    }
  }
  await writeSent(place);
};
