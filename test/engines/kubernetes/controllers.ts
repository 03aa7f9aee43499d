import { randomBytes } from 'node:crypto';
import { INDEX } from '../../../src/runners/kubernetes/pods/machines.ts';
import { fieldsOf, listOf, numberOf, textOf, timestamp, type Store, type Stored } from './store.ts';

/** Refusals of admission, in the words of Kubernetes 1.20 and 1.34. */
const REFUSALS = {
  quota:
    'exceeded quota: vo, requested: requests.memory=512Mi, used: requests.memory=0, limited: requests.memory=1Mi',
  limits: 'maximum memory usage per Container is 1Mi, but limit is 512Mi',
} as const;

/** A real cluster takes at least a second; a minute was observed. */
const COLLECTED_MS = 3000;

type Controllers = {
  /** the refusal of all pods */ refusal: keyof typeof REFUSALS | undefined;
  /** pods that are taken all the same */ room: number;
  readonly close: () => void;
};

/**
 * The tests' controllers: Jobs and Deployments make pods, pods end Jobs, and pods are removed with
 * their owners.
 */
export function startControllers(store: Store): Controllers {
  /** number of pods removed before their end, by the Job's uid */
  const removed = new Map<string, number>();
  const ownedBy = ({ metadata }: Stored, plural = 'pods'): readonly Stored[] =>
    store
      .list(plural)
      .filter((one) =>
        listOf(one.metadata['ownerReferences']).some(({ uid }) => uid === metadata['uid']),
      );

  /** A repeated event only increases its count. */
  const complain = (job: string, message: string): void => {
    const name = `${job}.refused`;
    if (store.get('events', name) !== undefined) return;
    store.create('events', {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject: { kind: 'Job', name: job },
      reason: 'FailedCreate',
      message,
      lastTimestamp: timestamp(),
    });
  };

  const makePod = (owner: Stored, index?: number): void => {
    const { metadata, spec } = owner;
    const template = numbered(fieldsOf(spec['template']), metadata.name, index);
    const part = index === undefined ? '' : `-${index}`;
    const name = `${metadata.name}${part}-${randomBytes(3).toString('hex')}`;
    if (controllers.refusal !== undefined && controllers.room === 0)
      return complain(
        metadata.name,
        `Error creating: pods "${name}" is forbidden: ${REFUSALS[controllers.refusal]}`,
      );
    if (controllers.refusal !== undefined) controllers.room -= 1;
    const ownerReferences = [ownerOf(owner)];
    return void store.create('pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...fieldsOf(template['metadata']), name, ownerReferences },
      spec: template['spec'],
    });
  };

  const end = (job: Stored, type: 'Complete' | 'Failed', reason: string): void => {
    if (listOf(job.status['conditions']).length > 0) return;
    store.update('jobs', job.metadata.name, {
      status: {
        ...job.status,
        conditions: [{ type, status: 'True', reason, lastTransitionTime: timestamp() }],
      },
    });
    for (const pod of ownedBy(job))
      if (
        pod.status['phase'] === undefined ||
        pod.status['phase'] === 'Pending' ||
        pod.status['phase'] === 'Running'
      )
        store.remove('pods', pod.metadata.name);
  };

  const runJob = (job: Stored): void => {
    if (listOf(job.status['conditions']).length > 0) return;
    const pods = ownedBy(job);
    const count = (phase: string): number =>
      pods.filter(({ status }) => status['phase'] === phase).length;
    // A pod that was removed before its end counts as failed.
    const [failed, done] = [
      count('Failed') + (removed.get(textOf(job.metadata['uid'])) ?? 0),
      count('Succeeded'),
    ];
    const wanted = numberOf(job.spec['completions']) ?? 1;
    const active = pods.length - count('Failed') - done;
    const deadline = numberOf(job.spec['activeDeadlineSeconds']);
    if (
      deadline !== undefined &&
      Date.now() > Date.parse(textOf(job.metadata['creationTimestamp'])) + deadline * 1000
    )
      return end(job, 'Failed', 'DeadlineExceeded');
    if (failed > (numberOf(job.spec['backoffLimit']) ?? 6))
      return end(job, 'Failed', 'BackoffLimitExceeded');
    if (done >= wanted) return end(job, 'Complete', '');
    const indexes = job.spec['completionMode'] === 'Indexed' ? unclaimed(wanted, pods) : undefined;
    for (
      let more = Math.min(numberOf(job.spec['parallelism']) ?? 1, wanted - done) - active;
      more > 0;
      more -= 1
    )
      makePod(job, indexes?.shift());
    return undefined;
  };

  const ownerOf = ({ apiVersion, kind, metadata }: Stored): object => ({
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata['uid'],
    controller: true,
  });

  const runDeployment = (deployment: Stored): void => {
    if (ownedBy(deployment, 'replicasets').length > 0) return;
    const { apiVersion, metadata, spec } = deployment;
    const labels = fieldsOf(fieldsOf(spec['template'])['metadata'])['labels'];
    store.create('replicasets', {
      apiVersion,
      kind: 'ReplicaSet',
      metadata: { name: `${metadata.name}-set`, labels, ownerReferences: [ownerOf(deployment)] },
      spec: { replicas: spec['replicas'], template: spec['template'] },
    });
  };

  const runReplicaSet = (set: Stored): void => {
    for (
      let more = (numberOf(set.spec['replicas']) ?? 1) - ownedBy(set).length;
      more > 0;
      more -= 1
    )
      makePod(set);
  };

  /** Removes objects of removed owners, some time later. */
  const collect = (): void => {
    const owners = new Set(
      ['jobs', 'deployments', 'replicasets'].flatMap((plural) =>
        store.list(plural).map(({ metadata }) => metadata['uid']),
      ),
    );
    for (const plural of ['replicasets', 'pods', 'services']) {
      for (const { metadata } of store.list(plural)) {
        const own = listOf(metadata['ownerReferences']);
        // Services of charts have no owner.
        if (own.length === 0 && plural === 'services') continue;
        if (!own.some(({ uid }) => owners.has(uid))) store.remove(plural, metadata.name);
      }
    }
  };

  const timer = setInterval(() => {
    store.list('jobs').forEach(runJob);
    store.list('deployments').forEach(runDeployment);
    store.list('replicasets').forEach(runReplicaSet);
  }, 50);
  const collector = setInterval(collect, COLLECTED_MS);
  const stop = store.onChange(({ type, plural, object }) => {
    if (
      type !== 'DELETED' ||
      plural !== 'pods' ||
      ['Succeeded', 'Failed'].includes(textOf(object.status['phase']))
    )
      return;
    for (const { uid } of listOf(object.metadata['ownerReferences']))
      removed.set(textOf(uid), (removed.get(textOf(uid)) ?? 0) + 1);
  });
  const controllers: Controllers = {
    refusal: undefined,
    room: 0,
    close: () => {
      clearInterval(timer);
      clearInterval(collector);
      stop();
    },
  };
  return controllers;
}

/** The indexes of a Job that no pod has. */
function unclaimed(completions: number, pods: readonly Stored[]): number[] {
  const claimed = new Set(
    pods.map(({ metadata }) => textOf(fieldsOf(metadata['annotations'])[INDEX])),
  );
  return Array.from({ length: completions }, (_, index) => index).filter(
    (index) => !claimed.has(String(index)),
  );
}

/** The template of a pod with an index: its annotation, its variable and its host name. */
function numbered(
  template: Readonly<Record<string, unknown>>,
  job: string,
  index: number | undefined,
): Readonly<Record<string, unknown>> {
  if (index === undefined) return template;
  const [metadata, spec] = [fieldsOf(template['metadata']), fieldsOf(template['spec'])];
  const variable = { name: 'JOB_COMPLETION_INDEX', value: String(index) };
  return {
    metadata: { ...metadata, annotations: { [INDEX]: String(index) } },
    spec: {
      hostname: `${job}-${index}`,
      ...spec,
      containers: listOf(spec['containers']).map((container) => ({
        ...container,
        env: [...listOf(container['env']), variable],
      })),
    },
  };
}
