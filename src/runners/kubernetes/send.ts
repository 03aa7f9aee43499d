import { isRecord } from '../../words/record.ts';
import type { JobDirectory } from '../run/directory.ts';
import type { Cluster } from './cluster.ts';
import { release, releaseNone, writeSent, type ClusterIntent } from './files.ts';
import type { Manifest } from './manifests/manifest.ts';
import { ALREADY_EXISTS, ClusterRefusal } from './refusal.ts';
import { isForRoom } from './refused-pod.ts';
import type { ClusterEnding } from './pods/ending.ts';

const REFUSED = new Set([400, 403, 404, 413, 422]);

/**
 * Makes the objects of an intent that are not there yet, and then lets its Jobs run. What comes
 * after a Job is its own: the cluster removes it with the Job.
 *
 * @returns `claim-lost` when another one of its Jobs ran, how the job ends when the cluster does
 *   not take it
 * @throws an error of the connection
 */
export async function trySend(
  cluster: Pick<Cluster, 'create' | 'allow' | 'removeJob'>,
  place: JobDirectory,
  intent: ClusterIntent,
): Promise<'sent' | 'claim-lost' | ClusterEnding> {
  const jobs: { readonly manifest: Manifest; readonly uid: string }[] = [];
  for (const manifest of intent.manifests) {
    try {
      const uid = await cluster.create(ownedBy(jobs.at(-1), held(manifest)));
      if (manifest.kind === 'Job') jobs.push({ manifest, uid });
    } catch (error) {
      // What another attempt has made runs.
      if (!isRefusal(error) || !(await releaseNone(place, intent))) throw error;
      return {
        kind: 'failed',
        code: 'runner-failed',
        message: `the cluster does not take the ${manifest.kind} of the job: ${error.message}`,
        transient: isForRoom(error.message),
      };
    }
  }
  for (const { manifest, uid } of jobs)
    if (!(await letRun(cluster, place, manifest, uid))) return 'claim-lost';
  await writeSent(place);
  return 'sent';
}

function ownedBy(
  job: { readonly manifest: Manifest; readonly uid: string } | undefined,
  manifest: Manifest,
): Manifest {
  if (job === undefined || manifest.kind === 'Job') return manifest;
  const { apiVersion, kind, metadata } = job.manifest;
  const owner = { apiVersion, kind, name: metadata.name, uid: job.uid };
  return { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [owner] } };
}

/**
 * A new Job has no pods until somebody allows them. (Clusters before 1.21 do not know `suspend`.)
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
 *
 * @returns false when another one may
 */
async function letRun(
  cluster: Pick<Cluster, 'allow' | 'removeJob'>,
  place: JobDirectory,
  manifest: Manifest,
  uid: string,
): Promise<boolean> {
  const { name } = manifest.metadata;
  const { parallelism } = specOf(manifest);
  const isOurs = await release(place, name, uid);
  await (isOurs
    ? cluster.allow(name, uid, typeof parallelism === 'number' ? parallelism : 1)
    : cluster.removeJob(name, uid));
  return isOurs;
}

function isRefusal(error: unknown): error is ClusterRefusal {
  return (
    error instanceof ClusterRefusal &&
    (REFUSED.has(error.status) || error.reason === ALREADY_EXISTS)
  );
}
