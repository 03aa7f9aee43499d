import { shown } from '../../tasks/task.ts';
import type { Cluster } from './cluster.ts';
import type { Trouble } from './pods/trouble.ts';

/** A refusal that a later attempt may not meet; all others are final. */
const FULL = /exceeded quota/;
const REFUSED = /is forbidden|denied the request/;
/** A namespace that is being made gets its account a moment later. */
const NOT_YET = /error looking up service account/;

/** Whether there was no room; a later attempt may succeed. */
export function isForRoom(message: string): boolean {
  return FULL.test(message);
}

/**
 * Why Jobs have no pods. Quotas, limit ranges and pod security apply to pods: the cluster accepts a
 * Job that cannot get one, and says so in events only.
 *
 * @throws ClusterRefusal, or an error of the connection
 */
export async function troubleWithPods(
  cluster: Pick<Cluster, 'complaint'>,
  jobs: readonly string[],
): Promise<Trouble | undefined> {
  for (const job of jobs) {
    const said = (await cluster.complaint(job))?.replace(/^Error creating: /, '');
    if (said === undefined) continue;
    const final = REFUSED.test(said) && !FULL.test(said) && !NOT_YET.test(said);
    return final
      ? {
          code: 'runner-failed',
          message: `the cluster does not take the pod of the job: ${shown(said)}`,
          final,
        }
      : { code: 'queue-limit-exceeded', message: shown(said), final };
  }
  return undefined;
}
