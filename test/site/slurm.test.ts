import { describe, expect, test } from '@jest/globals';
import { destinationHere } from './here.ts';

const { site, engineOf, problemsOf } = destinationHere('slurm', 'executable');

describe('a destination that is a Slurm cluster', () => {
  test('needs a partition, and uses the commands of the machine', () => {
    expect(engineOf({ partition: 'main' })).toEqual({
      runner: 'slurm',
      slurm: {
        access: { transport: 'cli', conf: undefined, bin: undefined },
        partition: 'main',
        account: undefined,
        qos: undefined,
        constraint: undefined,
        user: undefined,
        python: undefined,
        gres: {},
        arguments: [],
        forecast: undefined,
        guarantee: 'queue',
        accounting: 'none',
        container: undefined,
        jupyter: undefined,
        longestWait: 3600,
        unreachableLimit: 3600,
      },
    });
  });

  test('accepts every setting', () => {
    expect(
      engineOf({
        conf: 'slurm.conf',
        bin: '/opt/slurm/bin',
        partition: 'main',
        account: 'vo',
        qos: 'low',
        constraint: 'amd&avx2',
        user: 'vo',
        python: '/usr/bin/python3',
        gres: { 'https://example.org/gpu/a100': 'gpu:a100' },
        arguments: ['--nice=100', '--exclusive'],
        'longest-wait': 'PT2H',
        'unreachable-limit': 'PT10M',
        forecast: { shapes: [{ cores: 8, memory: '16GiB', duration: 'PT1H' }] },
      }),
    ).toMatchObject({
      slurm: {
        access: { transport: 'cli', conf: '/etc/planner/slurm.conf', bin: '/opt/slurm/bin' },
        account: 'vo',
        qos: 'low',
        constraint: 'amd&avx2',
        user: 'vo',
        python: '/usr/bin/python3',
        gres: { 'https://example.org/gpu/a100': 'gpu:a100' },
        arguments: ['--nice=100', '--exclusive'],
        longestWait: 7200,
        unreachableLimit: 600,
        forecast: {
          every: 60,
          shapes: [{ cores: 8000, memory: 16_384, duration: 3600, gpus: undefined }],
        },
      },
    });
    expect(
      engineOf({
        partition: 'main',
        transport: 'rest',
        url: 'unix:/run/slurmrestd.sock',
        'token-file': 'token',
      }),
    ).toMatchObject({
      slurm: {
        access: {
          transport: 'rest',
          url: 'unix:/run/slurmrestd.sock',
          tokenFile: '/etc/planner/token',
        },
      },
    });
  });

  test.each([
    [undefined, {}, "the slurm runner needs 'destinations.here.slurm'"],
    [{}, {}, "destinations.here.slurm needs 'partition'"],
    [
      { partition: 'main' },
      { burst: { cores: 2 } },
      'destinations.here.burst: Slurm gives a job the cores and the memory that it is submitted with, and no more',
    ],
    [{ partition: '--wrap=id' }, {}, "destinations.here.slurm.partition cannot be '--wrap=id'"],
    [
      { partition: 'main', arguments: ['--wrap=id'] },
      {},
      "destinations.here.slurm.arguments cannot have '--wrap=id'",
    ],
    [
      { partition: 'main', arguments: ['--time=1'] },
      {},
      "destinations.here.slurm.arguments cannot have '--time=1'",
    ],
    [
      { partition: 'main', arguments: ['--nice 1'] },
      {},
      "destinations.here.slurm.arguments cannot have '--nice 1'",
    ],
    [
      { partition: 'main', python: 'python3' },
      {},
      "destinations.here.slurm.python must be an absolute path on the nodes, not 'python3'",
    ],
    [
      { partition: 'main', guarantee: 'reservation', arguments: ['--reservation=vo'] },
      {},
      'destinations.here.slurm.guarantee makes a reservation for each job',
    ],
    [{ partition: 'main', forecast: {} }, {}, "destinations.here.slurm.forecast needs 'shapes'"],
    [
      { partition: 'main', forecast: { shapes: [{ cores: 1 }] } },
      {},
      "destinations.here.slurm.forecast.shapes[0] needs 'memory'",
    ],
    [
      { partition: 'main', transport: 'rest' },
      {},
      "destinations.here.slurm needs 'url' for transport: rest",
    ],
    [
      { partition: 'main', transport: 'rest', url: 'http://a/b', 'token-file': 't' },
      {},
      "destinations.here.slurm.url cannot be 'http://a/b'",
    ],
    [
      { partition: 'main', transport: 'rest', url: 'http://a', 'token-file': 't', arguments: [] },
      {},
      'destinations.here.slurm.arguments is for transport: cli',
    ],
    [
      { partition: 'main', url: 'http://a' },
      {},
      'destinations.here.slurm.url is for transport: rest',
    ],
    [{ partition: 'main', gres: { 'https://example.org/gpu': 'gpu 1' } }, {}, "cannot be 'gpu 1'"],
    [
      { partition: 'main' },
      { 'task-types': ['python-program'] },
      'destinations.here takes python-program, which needs destinations.here.slurm.python',
    ],
    [
      { partition: 'main' },
      { 'task-types': ['jupyter-notebook'] },
      'destinations.here takes jupyter-notebook, which needs destinations.here.slurm.jupyter',
    ],
    [
      { partition: 'main' },
      { 'task-types': ['helm-chart'] },
      'destinations.here: the slurm runner does not execute helm-chart',
    ],
    [
      { partition: 'main' },
      { 'task-types': ['oci-container'] },
      'destinations.here takes oci-container, which needs destinations.here.slurm.container',
    ],
    [
      { partition: 'main', container: { network: 'none' } },
      {},
      "destinations.here.slurm.container.network cannot be 'none'",
    ],
    [
      { partition: 'main', container: { network: 'slirp4netns:port_handler=x' } },
      {},
      'destinations.here.slurm.container.network cannot be',
    ],
    [
      { partition: 'main' },
      { runner: 'process' },
      'destinations.here.slurm is for destinations with runner: slurm',
    ],
  ])('with %j and %j gets a message about the mistake', (slurm, more, message) =>
    expect(problemsOf(slurm, more)).toEqual(
      expect.arrayContaining([expect.stringContaining(message)]),
    ),
  );
});

describe('steps of workflows on the cluster', () => {
  const snakemake = { command: ['snakemake'], steps: 'engine' };

  test('are for Snakemake on a cluster', () => {
    const reading = site({ partition: 'main' }, { workflows: { snakemake } });
    expect(reading.ok && reading.site.destinations.get('here')?.engine.workflows).toEqual({
      snakemake: { command: ['snakemake'], versions: [], steps: 'engine' },
    });
  });

  test('are refused elsewhere, in other languages, and beside reservations', () => {
    const notHere = expect.stringMatching(/snakemake\.steps cannot be engine here/);
    expect(problemsOf(undefined, { runner: 'process', workflows: { snakemake } })).toEqual([
      notHere,
    ]);
    expect(
      problemsOf({ partition: 'main', guarantee: 'reservation' }, { workflows: { snakemake } }),
    ).toEqual([notHere]);
    expect(problemsOf({ partition: 'main' }, { workflows: { cwl: snakemake } })).toEqual([
      expect.stringMatching(/workflows\.cwl has no key 'steps'/),
    ]);
    expect(
      problemsOf(
        { partition: 'main' },
        { workflows: { snakemake: { ...snakemake, steps: 'cloud' } } },
      ),
    ).toEqual([expect.stringMatching(/steps.*engine/)]);
  });
});
