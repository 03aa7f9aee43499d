import { randomBytes } from 'node:crypto';
import { fieldsOf, listOf, numberOf, textOf, timestamp, type Store, type Stored } from './store.ts';

/** The controllers of the tests: Jobs and Deployments make pods, pods end Jobs, and pods go with what made them. */
export const startControllers = (store: Store): { readonly close: () => void } => {
  const ownedBy = ({ metadata }: Stored): readonly Stored[] =>
    store.list('pods').filter((pod) => listOf(pod.metadata['ownerReferences']).some(({ uid }) => uid === metadata['uid']));

  const makePod = ({ apiVersion, kind, metadata, spec }: Stored): void => {
    const template = fieldsOf(spec['template']);
    const name = `${metadata.name}-${randomBytes(3).toString('hex')}`;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata['uid'], controller: true }];
    store.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { ...fieldsOf(template['metadata']), name, ownerReferences }, spec: template['spec'] });
  };

  const end = (job: Stored, type: 'Complete' | 'Failed', reason: string): void => {
    if (listOf(job.status['conditions']).length > 0) return;
    store.update('jobs', job.metadata.name, { status: { ...job.status, conditions: [{ type, status: 'True', reason, lastTransitionTime: timestamp() }] } });
    for (const pod of ownedBy(job)) if (pod.status['phase'] === undefined || pod.status['phase'] === 'Pending' || pod.status['phase'] === 'Running') store.remove('pods', pod.metadata.name);
  };

  const runJob = (job: Stored): void => {
    if (listOf(job.status['conditions']).length > 0) return;
    const pods = ownedBy(job);
    const count = (phase: string): number => pods.filter(({ status }) => status['phase'] === phase).length;
    const [failed, done] = [count('Failed'), count('Succeeded')];
    const wanted = numberOf(job.spec['completions']) ?? 1;
    const active = pods.length - failed - done;
    const deadline = numberOf(job.spec['activeDeadlineSeconds']);
    if (deadline !== undefined && Date.now() > Date.parse(textOf(job.metadata['creationTimestamp'])) + deadline * 1000) return end(job, 'Failed', 'DeadlineExceeded');
    if (failed > (numberOf(job.spec['backoffLimit']) ?? 6)) return end(job, 'Failed', 'BackoffLimitExceeded');
    if (done >= wanted) return end(job, 'Complete', '');
    for (let more = Math.min(numberOf(job.spec['parallelism']) ?? 1, wanted - done) - active; more > 0; more -= 1) makePod(job);
    return undefined;
  };

  const runDeployment = (deployment: Stored): void => {
    for (let more = (numberOf(deployment.spec['replicas']) ?? 1) - ownedBy(deployment).length; more > 0; more -= 1) makePod(deployment);
  };

  const timer = setInterval(() => {
    store.list('jobs').forEach(runJob);
    store.list('deployments').forEach(runDeployment);
  }, 50);
  const stop = store.onChange(({ type, plural, object }) => {
    if (type === 'DELETED' && plural !== 'pods') for (const pod of ownedBy(object)) store.remove('pods', pod.metadata.name);
  });
  return {
    close: () => {
      clearInterval(timer);
      stop();
    },
  };
};
