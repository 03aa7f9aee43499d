import type { KubernetesSettings } from '../../../src/runners/kubernetes/settings.ts';
import type { Runner } from '../../../src/runners/port.ts';

/** A cluster under test: a real one, or the tests' small API server with its node. */
export type ClusterSubject = {
  readonly jobsRoot: string;
  /** has /bin/sh, the tools of busybox, and a command that succeeds */
  readonly image: string;
  /** a missing image of the same registry */
  readonly noImage: string;
  /** opens a runner, which ends with the cluster */
  readonly open: (more?: Partial<KubernetesSettings>) => Runner;
  /** objects of a job, `plural/name` */
  readonly left: (job: string) => Promise<readonly string[]>;
  /** Removes the Job or the pod of a job, like another user. */
  readonly drop: (what: 'jobs' | 'pods', job: string) => Promise<void>;
  /**
   * During the call the cluster takes Jobs but refuses their pods: `quota` for lack of room,
   * `limits` for good.
   */
  readonly refusingPods: (why: 'quota' | 'limits', during: () => Promise<void>) => Promise<void>;
  /** does a removed pod count as an attempt of its Job? Kubernetes from 1.26 on */
  readonly countsRemoved: boolean;
  readonly isAlive: (job: string) => Promise<boolean>;
};
