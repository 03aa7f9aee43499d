import { describe, expect, test } from '@jest/globals';
import type { Ask } from '../../../src/planner/ask.ts';
import type { Objection } from '../../../src/planner/judge/objection.ts';
import { siteObjections } from '../../../src/planner/judge/site-objections.ts';
import { runsOf } from '../../../src/planner/judge/runs.ts';
import type { Promised } from '../../../src/planner/offer.ts';
import { readSite } from '../../../src/site/read.ts';
import type { ExecutableTask, Task } from '../../../src/tasks/task.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';
import { askFor, siteOf } from '../../harness/asks.ts';
import { CONTAINER } from './container-task.ts';

const SLURM = { runner: 'slurm', slurm: { partition: 'main', user: 'vo', container: {} } };
const PODMAN = {
  runner: 'container',
  container: { socket: '/run/podman.sock', images: { executable: 'docker.io/library/busybox:1' } },
};
const KUBERNETES = {
  runner: 'kubernetes',
  kubernetes: {
    namespace: 'jobs',
    claim: 'jobs',
    images: { executable: 'docker.io/library/busybox:1' },
  },
};

const mpirun: ExecutableTask = {
  type: 'executable',
  command: ['mpirun', './ring'],
  environment: {},
  parallel: 'mpi',
};
const container: Task = { ...CONTAINER, parallel: 'mpi' };

/** What a destination has against a parallel job. */
function objections(
  destination: object,
  task: Task = mpirun,
  more: Partial<Ask> = {},
): readonly Objection[] {
  const site = siteOf({ here: { 'task-types': [task.type], ...destination } });
  const here = site.destinations.get('here');
  if (here === undefined) throw new Error('no destination');
  return siteObjections({ ...askFor({}), task, ...more }, site, here);
}

/** Compute items with volumes at these paths. */
function items(...paths: readonly (readonly string[])[]): Partial<Ask> {
  const [one, ...others] = paths.map((list) => ({
    ...askFor({}).parts[0],
    volumes: list.map((path) => ({ name: 'survey', path, mode: 'r' as const })),
  }));
  if (one === undefined) throw new Error('no items');
  return { parts: [one, ...others] };
}

describe('a parallel job', () => {
  test('goes where the site starts them, and nowhere else', () => {
    expect(objections({ parallel: true })).toEqual([]);
    expect(objections({ ...SLURM, parallel: true })).toEqual([]);
    expect(objections({ ...PODMAN, parallel: true }, container)).toEqual([]);
    expect(objections({})).toMatchObject([
      {
        code: 'no-parallel-jobs',
        place: { what: 'spec', at: 'parallel' },
        asked: { value: 'mpi' },
        detail: 'The site does not say that it starts them there.',
      },
    ]);
    expect(objections({ parallel: false })).toMatchObject([{ code: 'no-parallel-jobs' }]);
  });

  test('goes to a cluster of Kubernetes, with an entry point that its shell can start', () => {
    const cluster = { ...KUBERNETES, parallel: true };
    expect(objections(KUBERNETES)).toMatchObject([{ code: 'no-parallel-jobs' }]);
    expect(objections(cluster)).toEqual([]);
    expect(objections(cluster, { ...container, entrypoint: ['mpirun'] })).toEqual([]);
    expect(objections(cluster, container)).toMatchObject([
      {
        code: 'no-parallel-jobs',
        detail: 'A shell starts it there: the container has to name its entrypoint.',
      },
    ]);
    expect(objections(cluster, mpirun, items([], []))).toMatchObject([
      { code: 'compute-items-not-here' },
    ]);
  });

  test('does not go to engines that start none, even if only for containers', () => {
    expect(objections({ ...SLURM, parallel: true }, container)).toMatchObject([
      {
        code: 'no-parallel-jobs',
        detail:
          'A container on one node of a cluster cannot start others on other nodes; a task of type ' +
          'executable can, with the MPI of the nodes.',
      },
    ]);
  });

  test('has one compute item where all nodes of a job are alike', () => {
    expect(objections({ ...SLURM, parallel: true }, mpirun, items([], []))).toMatchObject([
      { code: 'compute-items-not-here', asked: { value: 2 }, limit: { value: 1 } },
    ]);
    expect(objections({ parallel: true }, mpirun, items([], []))).toEqual([]);
  });

  test('has one directory, so its items mount the same volumes or none', () => {
    expect(objections({ parallel: true }, mpirun, items(['a'], [], ['a']))).toEqual([]);
    expect(objections({ parallel: true }, mpirun, items([], ['a'], ['b']))).toMatchObject([
      { code: 'volume-path-not-here', place: { what: 'volume', part: 2, volume: 0 } },
    ]);
  });

  test('is one run with the amounts of all of its machines', () => {
    const part = askFor({}).parts[0];
    const promised: Promised = {
      taskType: 'executable',
      task: mpirun,
      plugin: undefined,
      parts: [
        {
          ...part,
          replicas: 3,
          cores: { min: millicores(2000), max: millicores(4000) },
          memory: { min: mebibytes(100), max: mebibytes(200) },
        },
      ],
      cores: { min: millicores(6000), max: millicores(12_000) },
      memory: { min: mebibytes(300), max: mebibytes(600) },
      burst: true,
      scratch: mebibytes(90),
      gpus: undefined,
      storage: [],
    };
    expect(runsOf(promised)).toMatchObject([
      {
        cores: 12_000,
        memory: 600,
        scratch: 90,
        guaranteed: { cores: 6000, memory: 300 },
        allocation: [{ cores: 4000 }, { cores: 4000, memory: 200 }, { cores: 4000 }],
      },
    ]);
    const { parallel: _parallel, ...alone } = mpirun;
    expect(runsOf({ ...promised, task: alone })).toHaveLength(3);
  });
});

test('a site file that promises parallel jobs of an engine that starts none is told which engines do', () => {
  const destination = {
    runner: 'notebook',
    'task-types': ['python-program'],
    cores: 1,
    memory: '1GiB',
  };
  const site = { rules: ['r.yml'], destinations: { here: { ...destination, parallel: true } } };
  const reading = readSite('site.yml', JSON.stringify(site));
  expect(reading.ok ? [] : reading.problems).toMatchObject([
    {
      message: 'destinations.here.parallel: the notebook runner starts no parallel jobs',
      hint: 'leave parallel out; process, container, slurm and kubernetes start them',
    },
  ]);
});
