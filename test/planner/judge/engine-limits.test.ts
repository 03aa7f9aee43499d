import { describe, expect, test } from '@jest/globals';
import type { Ask } from '../../../src/planner/ask.ts';
import type { Objection } from '../../../src/planner/judge/objection.ts';
import { siteObjections } from '../../../src/planner/judge/site-objections.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { askFor, siteOf } from '../../harness/asks.ts';
import { CONTAINER } from './container-task.ts';

const PODMAN = {
  runner: 'container',
  container: { socket: '/run/podman.sock', images: { executable: 'docker.io/library/busybox:1' } },
};
const SLURM = { runner: 'slurm', slurm: { partition: 'main', user: 'vo', container: {} } };
const CLUSTER = {
  runner: 'kubernetes',
  kubernetes: {
    namespace: 'jobs',
    claim: 'jobs',
    images: { executable: 'docker.io/library/busybox:1' },
  },
};
const PLUGIN = { name: 'simulation', tool: 'x', spec: {} };

function executable(
  command: readonly [string, ...string[]] = ['true'],
  environment: Readonly<Record<string, string>> = {},
): Task {
  return { type: 'executable', command, environment };
}
function program(...words: readonly string[]): Task {
  return { type: 'python-program', program: { kind: 'inline', text: 'pass' }, arguments: words };
}

/** What a destination has against an ask for a task. */
function objections(
  destination: object,
  task: Task,
  more: Partial<Ask> = {},
  types: readonly string[] = [task.type],
): readonly Objection[] {
  const site = siteOf({ here: { 'task-types': types, ...destination } });
  const here = site.destinations.get('here');
  if (here === undefined) throw new Error('no destination');
  return siteObjections({ ...askFor({}), task, ...more }, site, here);
}

describe('limits of an engine', () => {
  test('are refused in the answer, not after the accept: networks that the site does not give', () => {
    const asked = { ...CONTAINER, network: 'outbound' as const };
    expect(objections(SLURM, asked)).toMatchObject([
      { code: 'network-not-here', place: { what: 'spec', at: 'network' } },
    ]);
    expect(objections(PODMAN, asked)).toMatchObject([{ code: 'network-not-here' }]);
    expect(objections(SLURM, CONTAINER)).toEqual([]);
    expect(
      objections(
        { ...SLURM, slurm: { ...SLURM.slurm, container: { network: 'slirp4netns' } } },
        asked,
      ),
    ).toEqual([]);
  });

  test.each([
    [{ runner: 'process' }, program(), 'The site names no Python (runners.process.python).'],
    [PODMAN, program(), 'The site names no image for python-program (container.images).'],
    [CLUSTER, program(), 'The site names no image for python-program (kubernetes.images).'],
    [
      CLUSTER,
      {
        type: 'helm-chart',
        chart: { kind: 'url', url: 'https://example.org/c.tgz' },
        values: {},
      } as const,
      'The site names no charts (kubernetes.charts).',
    ],
    [
      { ...SLURM, slurm: { partition: 'main', user: 'vo' } },
      program(),
      'The site names no Python on the nodes (slurm.python).',
    ],
    [
      { ...SLURM, slurm: { partition: 'main', user: 'vo' } },
      CONTAINER,
      'The site names no container engine on the nodes (slurm.container).',
    ],
    [
      { ...SLURM, slurm: { partition: 'main', user: 'vo' } },
      { type: 'jupyter-notebook', notebook: { kind: 'inline', text: '{}' } } as const,
      'The site names no Jupyter on the nodes (slurm.jupyter).',
    ],
  ])(
    "%#: a plug-in's task becomes one that the site has nothing to run it with",
    (destination, task, detail) => {
      expect(objections({ ...destination, 'task-types': ['executable'] }, task)).toMatchObject([
        { code: 'task-type-not-here' },
      ]);
      const site = siteOf({ here: { ...destination, 'task-types': ['executable'] } });
      const here = site.destinations.get('here');
      if (here === undefined) throw new Error('no destination');
      expect(
        siteObjections({ ...askFor({}), task, plugin: PLUGIN }, site, {
          ...here,
          taskTypes: new Set([PLUGIN.name]),
        }),
      ).toMatchObject([{ code: 'task-type-not-here', detail }]);
    },
  );

  test('containers with GPUs in Slurm jobs, which would not see them', () => {
    const gpus = { type: 'urn:gpu', count: 2 };
    expect(objections({ ...SLURM, gpus: { 'urn:gpu': 2 } }, CONTAINER, { gpus })).toMatchObject([
      {
        code: 'gpus-not-for-type',
        place: { what: 'gpus', part: 0 },
        asked: { value: 2 },
        limit: { value: 0 },
      },
    ]);
    expect(objections({ ...SLURM, gpus: { 'urn:gpu': 2 } }, executable(), { gpus })).toEqual([]);
  });

  test('programs whose path `env` would take for a variable, on machines that start them with `env`', () => {
    expect(objections({}, executable(['./a=b']))).toMatchObject([
      { code: 'task-spec-invalid', place: { what: 'spec', at: 'command[0]' } },
    ]);
    expect(objections(SLURM, executable(['./a=b']))).toMatchObject([{ code: 'task-spec-invalid' }]);
    expect(objections(PODMAN, executable(['./a=b']))).toEqual([]);
    expect(objections({}, executable(['echo', 'a=b']))).toEqual([]);
  });

  test('more words than a machine starts a program with, counted in bytes', () => {
    const letters = (count: number): string => 'ö'.repeat(count);
    expect(objections({}, executable(['echo', letters(65_000)]))).toEqual([]);
    expect(objections({}, executable(['echo', letters(66_000)]))).toMatchObject([
      {
        code: 'task-text-too-long',
        place: { what: 'spec', at: '' },
        asked: { value: 132_000 },
        limit: { value: 131_000 },
      },
    ]);
    expect(objections(PODMAN, executable(['echo'], { A: letters(66_000) }))).toMatchObject([
      { code: 'task-text-too-long' },
    ]);
    expect(
      objections(SLURM, {
        ...CONTAINER,
        command: Array.from({ length: 11 }, () => letters(50_000)),
      }),
    ).toMatchObject([
      { code: 'task-text-too-long', asked: { value: 1_100_000 }, limit: { value: 1_048_576 } },
    ]);
    expect(objections({ runner: 'notebook' }, program(letters(70_000)))).toEqual([]);
  });

  test('a Job that is longer than a cluster keeps, as it would be written there', () => {
    const words = Array.from({ length: 10 }, () => '$'.repeat(60_000));
    expect(objections(PODMAN, executable(['echo', ...words]))).toEqual([]);
    expect(objections(CLUSTER, executable(['echo', ...words]))).toMatchObject([
      { code: 'task-text-too-long', asked: { value: 1_200_026 } },
    ]);
  });
});
