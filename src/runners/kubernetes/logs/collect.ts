import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import type { JobDirectory } from '../../run/directory.ts';
import type { Cluster } from '../cluster.ts';
import type { ClusterIntent } from '../files.ts';
import { CONTAINER } from '../manifests/job.ts';
import { copyLog } from './copy.ts';

/**
 * Takes the last of the logs while their pods are there.
 *
 * @param most bytes in all
 * @returns false when there was more
 */
export async function collectLogs(
  cluster: Pick<Cluster, 'log' | 'pods'>,
  place: JobDirectory,
  output: ClusterIntent['output'],
  most: number,
): Promise<boolean> {
  if (output === 'files') return true;
  const logs = logsOf(output, place, await cluster.pods(place.job));
  const share = Math.ceil(most / logs.length);
  let isWhole = true;
  for (const log of logs)
    isWhole = (await copyLog(cluster, { ...log, most: share, follow: false })) && isWhole;
  return isWhole;
}

/** The containers of pods whose logs are wanted, with their files. */
function logsOf(
  output: ClusterIntent['output'],
  place: JobDirectory,
  pods: readonly V1Pod[],
): readonly { readonly pod: string; readonly container: string; readonly file: string }[] {
  const named = pods.flatMap(({ metadata, spec }) =>
    metadata?.name === undefined ? [] : [{ pod: metadata.name, spec }],
  );
  switch (output) {
    case 'files':
      return [];
    case 'log':
      return named
        .map(({ pod }) => ({ pod, container: CONTAINER, file: place.stdout }))
        .slice(0, 1);
    case 'logs':
      return named.flatMap(({ pod, spec }) =>
        [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => {
          // Names of pods begin with that of the job, which says nothing here.
          const id = `log-${pod.replace(/^planner-[0-9a-f-]{36}-?/, '')}-${name}`.slice(0, 150);
          return { pod, container: name, file: join(place.out, id) };
        }),
      );
    default:
      return output satisfies never;
  }
}
