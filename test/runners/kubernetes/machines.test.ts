import type { V1Job, V1Pod } from '@kubernetes/client-node';
import { describe, expect, test } from '@jest/globals';
import { INDEX } from '../../../src/runners/kubernetes/pods/machines.ts';
import { stateInCluster } from '../../../src/runners/kubernetes/state.ts';

const NOW = new Date();
const OLD = new Date(NOW.getTime() - 60_000);

function job(condition?: string): V1Job {
  return {
    metadata: { name: 'one', creationTimestamp: OLD },
    spec: { template: {}, completions: 2, parallelism: 2, backoffLimit: 0 },
    status: {
      conditions:
        condition === undefined
          ? []
          : [{ type: condition, status: 'True', reason: 'BackoffLimitExceeded', message: '' }],
    },
  };
}

function running(index: number, startedAt = OLD): V1Pod {
  return pod(index, { phase: 'Running', ...container({ running: { startedAt } }) });
}

function over(index: number, exitCode: number, more: object = {}, isRemoved = false): V1Pod {
  const terminated = { exitCode, startedAt: OLD, finishedAt: NOW, ...more };
  const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
  return pod(index, { phase, ...container({ terminated }) }, isRemoved);
}

function pod(index: number, status: object, isRemoved = false): V1Pod {
  return {
    metadata: {
      name: `one-${index}`,
      annotations: { [INDEX]: String(index) },
      creationTimestamp: OLD,
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'one', uid: 'u' }],
      ...(isRemoved && { deletionTimestamp: NOW }),
    },
    status: { startTime: OLD, ...status },
  };
}

/** On a node that is drained while the pod runs. */
function drained(index: number): V1Pod {
  const conditions = [
    { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' },
  ];
  return pod(index, { phase: 'Running', conditions }, true);
}

function container(state: object): object {
  return { containerStatuses: [{ name: 'task', image: 'i', state }] };
}

describe('a parallel job', () => {
  test('runs since the last of its machines is there, and waits before', () => {
    const waiting = pod(1, { phase: 'Pending', startTime: undefined });
    expect(stateInCluster([job()], [running(0), waiting], 2)).toMatchObject({
      phase: 'waiting',
      placedAt: undefined,
    });
    expect(stateInCluster([job()], [running(0), running(1, NOW)], 2)).toMatchObject({
      phase: 'running',
      startedAt: NOW.getTime(),
      pods: [
        { placedAt: OLD.getTime(), startedAt: NOW.getTime() },
        { placedAt: OLD.getTime(), startedAt: NOW.getTime() },
      ],
    });
  });

  test.each<[string, readonly V1Pod[], object]>([
    [
      'with its command, whatever the others still do',
      [over(0, 0), running(1)],
      { kind: 'exit', code: 0 },
    ],
    [
      'with the exit code of its command, when the others have ended',
      [over(0, 3), over(1, 0)],
      { kind: 'exit', code: 3 },
    ],
    [
      'with that code, when another machine says nothing for long',
      [over(0, 3, { finishedAt: OLD }), running(1)],
      { kind: 'exit', code: 3 },
    ],
    [
      'by the memory of another machine, which made the command fail',
      [over(0, 1), over(1, 137, { reason: 'OOMKilled' })],
      { kind: 'over', reason: 'memory' },
    ],
    [
      'by that memory, when the cluster removes the pods of a Job that failed',
      [over(0, 137, {}, true), over(1, 137, { reason: 'OOMKilled' }, true)],
      { kind: 'over', reason: 'memory' },
    ],
    [
      'with its command, when the cluster then removes the others',
      [over(0, 3), over(1, 137, {}, true)],
      { kind: 'exit', code: 3 },
    ],
    [
      'with the exit code of another machine, when the cluster then removes the first',
      [over(0, 137, {}, true), over(1, 9)],
      { kind: 'exit', code: 9 },
    ],
    [
      'with a machine that is removed',
      [running(0), pod(1, { phase: 'Running' }, true)],
      { kind: 'failed', code: 'run-lost' },
    ],
    [
      'with a drained node, which made the command fail',
      [over(0, 1), drained(1)],
      { kind: 'failed', code: 'run-lost' },
    ],
    [
      'with its command, when a node is drained afterwards',
      [over(0, 0), drained(1)],
      { kind: 'exit', code: 0 },
    ],
    [
      'by the time of any machine',
      [running(0), pod(1, { phase: 'Failed', reason: 'DeadlineExceeded' })],
      { kind: 'over', reason: 'wall-time' },
    ],
  ])('ends %s', (_how, pods, ending) => {
    expect(stateInCluster([job()], pods, 2)).toMatchObject({ phase: 'ended', ending });
  });

  test.each([
    ['go on', running(1)],
    ['are being removed by the cluster', pod(1, { phase: 'Running' }, true)],
  ])(
    'whose command failed is not over before the other machines, which %s, have said why',
    (_, other) => {
      expect(stateInCluster([job('Failed')], [over(0, 1), other], 2)).toMatchObject({
        phase: 'waiting',
      });
    },
  );

  test('is not every Job with numbered pods: a chart may have one', () => {
    const [first, second] = [over(0, 0), running(1)];
    expect(stateInCluster([job()], [first, second])).toMatchObject({ phase: 'running' });
  });

  test.each([
    ['all pods', []],
    ['the first pod, and the others have ended', [over(1, 0)]],
  ])('of which the cluster removed %s is lost', (_which, pods) => {
    expect(stateInCluster([job('Failed')], pods, 2)).toMatchObject({
      phase: 'ended',
      ending: { kind: 'failed', code: 'run-lost' },
    });
  });

  test('tells what no waiting helps before what may pass', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes' }];
    const pulling = { reason: 'ErrImagePull', message: 'manifest unknown' };
    const pods = [
      pod(0, { phase: 'Pending', conditions }),
      pod(1, { phase: 'Pending', ...container({ waiting: pulling }) }),
    ];
    expect(stateInCluster([job()], pods, 2)).toMatchObject({
      phase: 'waiting',
      trouble: { code: 'fetch-failed', final: true },
    });
  });
});
