import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { describe, expect, test } from '@jest/globals';
import { stateInCluster } from '../../../src/runners/kubernetes/state.ts';

function job(
  conditions: { type: string; reason?: string }[] = [],
  spec: object = { backoffLimit: 0, completions: 1, parallelism: 1 },
  name = 'one',
): V1Job {
  return {
    metadata: { name, creationTimestamp: at(0) },
    spec: { template: {}, ...spec },
    status: { conditions: conditions.map((condition) => ({ status: 'True', ...condition })) },
  };
}

function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 10, 22) + seconds * 1000);
}

function terminated(state: object, phase = 'Failed', more: object = {}): V1Pod {
  return pod({
    phase,
    containerStatuses: [
      {
        name: 'task',
        image: 'i',
        state: { terminated: { exitCode: 1, startedAt: at(3), ...state } },
      },
    ],
    ...more,
  });
}

function pod(status: object, more: { owner?: string; made?: number; name?: string } = {}): V1Pod {
  return {
    metadata: {
      name: more.name ?? 'one-x',
      creationTimestamp: at(more.made ?? 1),
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: more.owner ?? 'one', uid: 'u' },
      ],
    },
    status: { startTime: at(2), ...status },
  };
}

function waiting(reason: string, message = ''): V1Pod {
  return pod({
    phase: 'Pending',
    containerStatuses: [
      { name: 'task', image: 'ghcr.io/a/b:1', state: { waiting: { reason, message } } },
    ],
  });
}

describe('the state of a finished run in the cluster', () => {
  // Statuses as kubelets and the controllers of Kubernetes write them.
  test.each([
    [
      'a pod that succeeded',
      terminated({ exitCode: 0, reason: 'Completed' }, 'Succeeded'),
      { kind: 'exit', code: 0 },
    ],
    ['an exit code', terminated({ exitCode: 3, reason: 'Error' }), { kind: 'exit', code: 3 }],
    ['a signal', terminated({ exitCode: 139, reason: 'Error' }), { kind: 'exit', code: 139 }],
    [
      'memory',
      terminated({ exitCode: 137, reason: 'OOMKilled' }),
      { kind: 'over', reason: 'memory' },
    ],
    [
      'a program that is not in the image (containerd)',
      terminated({ exitCode: 128, reason: 'StartError', message: 'exec: "/x": no such file' }),
      {
        kind: 'failed',
        code: 'task-failed',
        message: 'the program could not be started in the container: exec: "/x": no such file',
        transient: false,
      },
    ],
    [
      'a program that is not in the image (dockershim)',
      terminated({ exitCode: 127, reason: 'ContainerCannotRun' }),
      { kind: 'failed', code: 'task-failed', transient: false },
    ],
    [
      'the deadline of the pod',
      terminated({ exitCode: 137, reason: 'Error' }, 'Failed', { reason: 'DeadlineExceeded' }),
      { kind: 'over', reason: 'wall-time' },
    ],
    [
      'the deadline of the pod, before its container',
      pod({
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      }),
      { kind: 'over', reason: 'wall-time' },
    ],
    [
      'a disc that is full of it',
      pod({
        phase: 'Failed',
        reason: 'Evicted',
        message: 'Pod ephemeral local storage usage exceeds the total limit of containers 70Mi.',
      }),
      { kind: 'over', reason: 'output' },
    ],
    [
      'a node that needed its memory',
      pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
      { kind: 'failed', code: 'run-lost', transient: true },
    ],
    [
      'a node that shut down',
      terminated({ exitCode: 143 }, 'Failed', {
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
      }),
      { kind: 'failed', code: 'run-lost', transient: true },
    ],
    [
      'a node with other ideas of what is free',
      pod({ phase: 'Failed', reason: 'OutOfcpu' }),
      { kind: 'failed', code: 'run-lost', transient: true },
    ],
  ])('%s', (_what, one, ending) => {
    expect(stateInCluster([job()], [one])).toEqual({
      phase: 'ended',
      ending: expect.objectContaining(ending),
    });
  });

  test('a pod that was deleted is lost, whatever its containers say, unless it had succeeded', () => {
    const gone = (one: V1Pod): V1Pod => ({
      ...one,
      metadata: { ...one.metadata, deletionTimestamp: at(8) },
    });
    const running = pod({
      phase: 'Running',
      containerStatuses: [{ name: 'task', image: 'i', state: { running: { startedAt: at(3) } } }],
    });
    for (const one of [
      running,
      terminated({ exitCode: 143, reason: 'Error' }),
      pod({ phase: 'Pending' }),
    ]) {
      expect(stateInCluster([job()], [gone(one)])).toMatchObject({
        phase: 'ended',
        ending: { kind: 'failed', code: 'run-lost', transient: true },
      });
    }
    expect(stateInCluster([job()], [gone(terminated({ exitCode: 0 }, 'Succeeded'))])).toMatchObject(
      { ending: { kind: 'exit', code: 0 } },
    );
    const conditions = [
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      },
    ];
    expect(stateInCluster([job()], [gone(pod({ phase: 'Running', conditions }))])).toMatchObject({
      ending: {
        message:
          'the cluster removed the pod before it had ended (EvictionByEvictionAPI: Eviction API: evicting)',
      },
    });
  });

  test('the deadline of a Job ended it, not the removal of its pod', () => {
    const one = {
      ...terminated({ exitCode: 143 }),
      metadata: { ...terminated({}).metadata, deletionTimestamp: at(8) },
    };
    expect(
      stateInCluster([job([{ type: 'Failed', reason: 'DeadlineExceeded' }])], [one]),
    ).toMatchObject({ ending: { kind: 'over', reason: 'wall-time' } });
  });

  test('a Job without a pod says why it has none', () => {
    expect(
      stateInCluster([job([{ type: 'Failed', reason: 'DeadlineExceeded' }])], []),
    ).toMatchObject({ phase: 'ended', ending: { kind: 'over', reason: 'wall-time' } });
    expect(
      stateInCluster([job([{ type: 'Failed', reason: 'BackoffLimitExceeded' }])], []),
    ).toMatchObject({ phase: 'ended', ending: { kind: 'failed', code: 'run-lost' } });
    expect(stateInCluster([job([{ type: 'Complete' }])], [])).toMatchObject({
      phase: 'ended',
      ending: { kind: 'exit', code: 0 },
    });
  });

  test('a Job with retries left is not over with its first pod, and ends like its last one', () => {
    const retried = { backoffLimit: 1 };
    const [first, last] = [
      terminated({ exitCode: 3 }),
      {
        ...terminated({ exitCode: 4 }),
        metadata: { ...terminated({}).metadata, creationTimestamp: at(9) },
      },
    ];
    expect(stateInCluster([job([], retried)], [first])).toMatchObject({ phase: 'waiting' });
    expect(
      stateInCluster(
        [job([{ type: 'Failed', reason: 'BackoffLimitExceeded' }], retried)],
        [first, last],
      ),
    ).toMatchObject({ ending: { kind: 'exit', code: 4 } });
  });

  test('one failed Job of several is the end, and only all of them complete it', () => {
    const two = (conditions: { type: string }[]): V1Job => job(conditions, {}, 'two');
    expect(stateInCluster([job([{ type: 'Complete' }]), two([])], [])).toMatchObject({
      phase: 'waiting',
    });
    expect(
      stateInCluster([job([{ type: 'Complete' }]), two([{ type: 'Complete' }])], []),
    ).toMatchObject({ ending: { kind: 'exit', code: 0 } });
    expect(stateInCluster([job([]), two([{ type: 'Failed' }])], [])).toMatchObject({
      ending: { kind: 'failed' },
    });
  });
});

describe('the state of a live run in the cluster', () => {
  test('it runs since its container started, and has its node since the pod was there', () => {
    expect(
      stateInCluster(
        [job()],
        [
          pod({
            phase: 'Running',
            containerStatuses: [
              { name: 'task', image: 'i', state: { running: { startedAt: at(7) } } },
            ],
          }),
        ],
      ),
    ).toEqual({
      phase: 'running',
      startedAt: at(7).getTime(),
      pods: [{ name: 'one-x', startedAt: at(7).getTime(), placedAt: at(2).getTime() }],
    });
  });

  test('it waits for a node, and the scheduler says why', () => {
    const message = '0/3 nodes are available: 3 Insufficient cpu.';
    expect(
      stateInCluster(
        [job()],
        [
          {
            ...pod({
              phase: 'Pending',
              conditions: [
                { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
              ],
            }),
            status: {
              phase: 'Pending',
              conditions: [{ type: 'PodScheduled', status: 'False', message }],
            },
          },
        ],
      ),
    ).toEqual({
      phase: 'waiting',
      trouble: { code: 'queue-limit-exceeded', message, final: false },
      placedAt: undefined,
      madeAt: at(0).getTime(),
    });
    expect(stateInCluster([job()], [])).toMatchObject({ phase: 'waiting', trouble: undefined });
  });

  test.each([
    ['ErrImagePull', 'failed to resolve reference "ghcr.io/a/b:1": ghcr.io/a/b:1: not found', true],
    [
      'ErrImagePull',
      'failed to pull and unpack image: pull access denied, repository does not exist or may require authorization',
      true,
    ],
    ['ImagePullBackOff', 'Back-off pulling image "ghcr.io/a/b:1"', false],
    ['ErrImagePull', 'dial tcp: lookup ghcr.io: i/o timeout', false],
    ['InvalidImageName', '', true],
  ])('an image that cannot be pulled: %s, %s', (reason, message, final) => {
    expect(stateInCluster([job()], [waiting(reason, message)])).toMatchObject({
      phase: 'waiting',
      trouble: {
        code: 'fetch-failed',
        message: expect.stringContaining('ghcr.io/a/b:1 could not be pulled'),
        final,
      },
      placedAt: at(2).getTime(),
    });
  });

  test('a container that is being created is no problem, and one that cannot be created is', () => {
    expect(stateInCluster([job()], [waiting('ContainerCreating')])).toMatchObject({
      trouble: undefined,
    });
    expect(
      stateInCluster([job()], [waiting('CreateContainerConfigError', 'secret "x" not found')]),
    ).toMatchObject({
      trouble: { code: 'runner-failed', message: expect.stringContaining('secret "x" not found') },
    });
  });
});
