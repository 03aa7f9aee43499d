import type { Workload } from '../port.ts';
import type { JobHost } from '../process/start/host.ts';
import type { JobDirectory } from '../run/directory.ts';
import { beginRecord, type Making } from '../run/draft.ts';
import { loadVolumes } from '../run/staging.ts';
import { createVolumes } from '../run/volumes.ts';
import { planChart } from './chart/plan.ts';
import { writeIntent, type ClusterIntent } from './files.ts';
import { prepareMachines, writeUsers } from './machines/prepare.ts';
import { jobManifest, type PodProgram } from './manifests/job.ts';
import { machineService, networkPolicy } from './manifests/network.ts';
import type { PodUser } from './manifests/pod.ts';
import { planPodProgram } from './program.ts';
import type { KubernetesSettings } from './settings.ts';
import { givePodUser } from './manifests/user.ts';

/** What the preparation of jobs works with. */
export type ClusterSite = { readonly jobHost: JobHost; readonly settings: KubernetesSettings };

/**
 * Makes everything that the pods of a job will find, and writes the objects of the job down.
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
  const { task, volumes, allocation } = workload;
  const record = await beginRecord(workload, making);
  const planned =
    task.type === 'helm-chart'
      ? undefined
      : await planPodProgram(task, draft, site.settings, jobHost.urls);
  const program =
    planned && allocation ? await prepareMachines(planned, allocation, draft) : planned;
  await createVolumes(volumes, draft, place);
  await loadVolumes(jobHost.stager, workload, draft);
  const user = await givePodUser(jobHost, draft, record);
  if (allocation !== undefined) await writeUsers(draft, user);
  await writeIntent(draft, await intentOf(site, workload, place, program, user));
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
  const { machines } = program;
  const isParallel = machines !== undefined;
  const policy = networkPolicy(job, settings.namespace, {
    outbound: program.outbound,
    among: isParallel,
  });
  return {
    since,
    output: program.output,
    ...(isParallel && { machines }),
    manifests: [
      policy,
      jobManifest(workload, place, program, settings, user),
      ...(isParallel ? [machineService(job, settings.namespace)] : []),
    ],
  };
}
