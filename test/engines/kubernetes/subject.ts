import type { KubernetesSettings } from '../../../src/runners/engine.ts';
import type { Runner } from '../../../src/runners/port.ts';

/**
 * A cluster as the promises of the runner know it: a real one, or the small API
 * server of the tests with its node.
 */
export type ClusterSubject = {
  readonly jobsRoot: string;
  /** with /bin/sh, the tools of busybox, and a command of its own that ends well */
  readonly image: string;
  /** of the same registry, which has it not */
  readonly noImage: string;
  /** a runner of its own, which ends with the cluster */
  readonly open: (more?: Partial<KubernetesSettings>) => Runner;
  /** what the cluster has of a job, `plural/name` */
  readonly left: (job: string) => Promise<readonly string[]>;
  /** Removes the Job or the pod of a job, as somebody else would. */
  readonly drop: (what: 'jobs' | 'pods', job: string) => Promise<void>;
  /**
   * While something goes on, the cluster takes Jobs and none of their pods: `quota` for
   * want of room, `limits` for good.
   */
  readonly refusingPods: (why: 'quota' | 'limits', during: () => Promise<void>) => Promise<void>;
  /** whether the pod of a Job counts as tried when somebody removes it: Kubernetes from 1.26 on */
  readonly countsRemoved: boolean;
  readonly isAlive: (job: string) => Promise<boolean>;
};
