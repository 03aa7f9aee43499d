import { describe, expect, test } from '@jest/globals';
import { destinationHere } from './here.ts';

const GPU = 'https://www.purl.org/ivoa-net/gpu-type/nvidia-a100';

const { engineOf, problemsOf } = destinationHere('process', 'executable');

describe('a destination whose jobs are processes', () => {
  test('needs no settings', () => {
    expect(engineOf(undefined)).toEqual({ runner: 'process', python: undefined });
    expect(engineOf({})).toMatchObject({
      process: { isolation: 'preferred', network: 'none', tasks: 512, paths: [], gpus: {} },
    });
  });

  test('accepts every setting', () => {
    const devices = [
      { id: 'GPU-8f3c', files: ['/dev/nvidia0', '/dev/nvidiactl'] },
      { id: '1', files: [] },
    ];
    expect(
      engineOf(
        {
          isolation: 'required',
          network: 'host',
          processes: 100,
          paths: ['/srv/tools'],
          gpus: { [GPU]: devices },
        },
        { gpus: { [GPU]: 2 } },
      ),
    ).toEqual({
      runner: 'process',
      python: undefined,
      process: {
        isolation: 'required',
        network: 'host',
        tasks: 100,
        paths: ['/srv/tools'],
        gpus: { [GPU]: devices },
      },
    });
  });

  test.each([
    [
      { isolation: 'bubblewrap' },
      {},
      'destinations.here.process.isolation must be one of required, preferred, none',
    ],
    [{ network: 'outbound' }, {}, 'destinations.here.process.network must be one of none, host'],
    [{ paths: ['tools'] }, {}, "destinations.here.process.paths cannot have 'tools'"],
    [{ paths: ['/srv/../etc'] }, {}, "destinations.here.process.paths cannot have '/srv/../etc'"],
    [{ processes: 0 }, {}, 'destinations.here.process.processes'],
    [{ gpus: { [GPU]: [{ files: [] }] } }, {}, "needs 'id'"],
    [{ gpus: { [GPU]: [{ id: '0,1' }] } }, {}, "id cannot be '0,1'"],
    [{ gpus: { [GPU]: [{ id: '0', files: ['nvidia0'] }] } }, {}, "files cannot have 'nvidia0'"],
    [{ gpus: { [GPU]: [{ id: '0', cdi: 'nvidia.com/gpu=0' }] } }, {}, "has no key 'cdi'"],
    [
      { gpus: { [GPU]: [{ id: '0' }, { id: '0' }] } },
      {},
      "destinations.here.process.gpus names the device '0' twice",
    ],
    [
      { gpus: { [GPU]: [{ id: '0' }] } },
      { gpus: { [GPU]: 2 } },
      `destinations.here promises more devices of type '${GPU}' than destinations.here.process.gpus names`,
    ],
    [
      undefined,
      { gpus: { [GPU]: 1 } },
      `destinations.here promises more devices of type '${GPU}' than ` +
        'destinations.here.process.gpus names (name each with its id and ' +
        'its files, or promise fewer)',
    ],
    [
      {},
      { runner: 'notebook', 'task-types': ['jupyter-notebook'] },
      'destinations.here.process is for destinations with runner: process',
    ],
  ])('with %j and %j gets a message about the mistake', (process, more, message) =>
    expect(problemsOf(process, more)).toEqual(
      expect.arrayContaining([expect.stringContaining(message)]),
    ),
  );
});
