import { chown, writeFile } from 'node:fs/promises';
import type { Workload } from '../port.ts';
import { isRecord } from '../../words/record.ts';
import { ClaimLost } from '../claim-lost.ts';
import { NotYet } from '../passing.ts';
import { writeJson, type JobDirectory } from '../run/directory.ts';
import { holderOf, type Making } from '../run/draft.ts';
import type { JobHost } from '../process/start/host.ts';
import { loadVolumes, stagedOf } from '../run/staging.ts';
import { grant } from '../process/start/start.ts';
import { createVolumes } from '../run/volumes.ts';
import { planChart } from './chart/plan.ts';
import type { Cluster } from './cluster.ts';
import { ALREADY_EXISTS, ClusterRefusal } from './refusal.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { release, writeIntent, writeSent, type ClusterIntent } from './files.ts';
import { jobManifest, type PodProgram } from './job.ts';
import type { Manifest } from './manifest.ts';
import { networkPolicy } from './network.ts';
import { planPodProgram } from './program.ts';
import { isForRoom } from './refused-pod.ts';
import type { PodUser } from './pod.ts';
import type { KubernetesSettings } from './settings.ts';

/** What jobs are prepared with. */
export type ClusterSite = { readonly jobHost: JobHost; readonly settings: KubernetesSettings };

/**
 * Makes everything of a job that its pods will find, and writes down
 * what the cluster is to be told.
 *
 * @throws JobFailure
 */
export async function makeObjects(
  site: ClusterSite,
  workload: Workload,
  making: Making,
): Promise<void> {
  const { draft, place } = making;
  const { jobHost } = site;
  const { task, limits, volumes } = workload;
  const record = { limits, staged: stagedOf(workload, place), holder: holderOf(draft) };
  await writeJson(draft.record, record);
  for (const path of [draft.stdout, draft.stderr])
    await writeFile(path, '', { mode: 0o600, flag: 'wx' });
  const program =
    task.type === 'helm-chart'
      ? undefined
      : await planPodProgram(task, draft, site.settings, jobHost.urls);
  await createVolumes(volumes, draft, place);
  await loadVolumes(jobHost.stager, workload, draft);
  const user = await giveUser(site, draft, async (uid) =>
    writeJson(draft.record, { ...record, uid }),
  );
  await writeIntent(draft, await intentOf(site, workload, place, program, user));
}

const REFUSED = new Set([400, 403, 404, 413, 422]);

/**
 * Makes what the intent names, and lets its Jobs run; what is there already stays.
 *
 * @throws JobFailure when the cluster does not want it, ClaimLost when another one of its Jobs
 * ran, or an error of the connection
 */
export async function send(
  cluster: Pick<Cluster, 'create' | 'allow' | 'removeJob'>,
  place: JobDirectory,
  { manifests }: ClusterIntent,
): Promise<void> {
  for (const manifest of manifests) {
    try {
      const uid = await cluster.create(held(manifest));
      if (manifest.kind === 'Job') await letRun(cluster, place, manifest, uid);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      throw new JobFailure(
        'runner-failed',
        `the cluster does not take the ${manifest.kind} of the job: ${error.message}`,
        isForRoom(error.message),
      );
    }
  }
  await writeSent(place);
}

/** The user of a job's pods, and its directories made his. Nothing hostile is in them yet. */
async function giveUser(
  { jobHost }: ClusterSite,
  draft: JobDirectory,
  note: (uid: number) => Promise<void>,
): Promise<PodUser> {
  if (jobHost.users === undefined) {
    const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
    if (uid === 0)
      throw new JobFailure(
        'runner-failed',
        'no pod runs as root: this executor must give jobs users of their own, or not be root',
      );
    return { uid, gid };
  }
  const uid = await jobHost.users.lend(holderOf(draft), note);
  if (uid === undefined)
    throw new NotYet('all users that jobs can run as are lent to running jobs');
  await grant(draft, uid);
  for (const path of [draft.stdout, draft.stderr]) await chown(path, uid, uid);
  return { uid, gid: uid };
}

async function intentOf(
  { jobHost, settings }: ClusterSite,
  workload: Workload,
  place: JobDirectory,
  program: PodProgram | undefined,
  user: PodUser,
): Promise<ClusterIntent> {
  const { task, job } = workload;
  const since = Date.now();
  if (task.type === 'helm-chart') {
    const manifests = await planChart(
      { settings, urls: jobHost.urls, workload, place, user },
      task,
    );
    return {
      since,
      output: 'logs',
      manifests: [
        networkPolicy(job, settings.namespace, { outbound: false, among: true }),
        ...manifests,
      ],
    };
  }
  if (program === undefined) throw new Error('a task that is no chart is a program');
  const policy = networkPolicy(job, settings.namespace, {
    outbound: program.outbound,
    among: false,
  });
  return {
    since,
    output: program.output,
    manifests: [policy, jobManifest(workload, place, program, settings, user)],
  };
}

/**
 * A Job is made so that it does not run before somebody lets it: without pods. (`suspend` is not
 * known to clusters before 1.21.)
 */
function held(manifest: Manifest): Manifest {
  return manifest.kind === 'Job'
    ? { ...manifest, spec: { ...specOf(manifest), parallelism: 0 } }
    : manifest;
}

function specOf(manifest: Manifest): Readonly<Record<string, unknown>> {
  return isRecord(manifest['spec']) ? manifest['spec'] : {};
}

/**
 * Lets a Job run, unless another one of its name may: an executor that stood still can make one
 * long after the run of the job.
 */
async function letRun(
  cluster: Pick<Cluster, 'allow' | 'removeJob'>,
  place: JobDirectory,
  manifest: Manifest,
  uid: string,
): Promise<void> {
  const { name } = manifest.metadata;
  const { parallelism } = specOf(manifest);
  if (await release(place, name, uid))
    return cluster.allow(name, uid, typeof parallelism === 'number' ? parallelism : 1);
  await cluster.removeJob(name, uid);
  throw new ClaimLost(place.job);
}

function isRefusal(error: unknown): error is ClusterRefusal {
  return (
    error instanceof ClusterRefusal &&
    (REFUSED.has(error.status) || error.reason === ALREADY_EXISTS)
  );
}
