import { describe, expect, test } from '@jest/globals';
import { destinationHere } from './here.ts';

const { site, engineOf, problemsOf } = destinationHere('container', 'oci-container');

const socket = '/run/podman/podman.sock';
const GPU = 'https://www.purl.org/ivoa-net/gpu-type/nvidia-a100';
const gpus = { [GPU]: 1 };

describe('a destination with a container engine', () => {
  test('needs the socket, and has safe defaults otherwise', () => {
    expect(engineOf({ socket: 'podman.sock' })).toEqual({
      runner: 'container',
      container: {
        address: { kind: 'unix', path: '/etc/planner/podman.sock' },
        runtime: undefined,
        user: 'job',
        outbound: undefined,
        auth: undefined,
        pull: 'always',
        pullLimit: 600,
        unreachableLimit: 600,
        tasks: 512,
        gpus: {},
        images: { executable: undefined, 'python-program': undefined },
      },
    });
  });

  test('accepts every setting', () => {
    expect(
      engineOf({
        tcp: { host: 'engine', ca: 'ca.pem', cert: 'c.pem', key: '/k.pem' },
        runtime: 'runsc',
        user: 'image',
        network: 'science',
        'auth-file': 'auth.json',
        pull: 'missing',
        'pull-limit': 'PT1M',
        'unreachable-limit': 'PT2M',
        processes: 10,
        images: { executable: 'ghcr.io/a/b:1' },
      }),
    ).toMatchObject({
      container: {
        address: {
          kind: 'tcp',
          host: 'engine',
          port: 2376,
          tls: { ca: '/etc/planner/ca.pem', cert: '/etc/planner/c.pem', key: '/k.pem' },
        },
        runtime: 'runsc',
        user: 'image',
        outbound: 'science',
        auth: '/etc/planner/auth.json',
        pull: 'missing',
        pullLimit: 60,
        unreachableLimit: 120,
        tasks: 10,
        images: { executable: { repository: 'a/b' } },
      },
    });
  });

  test('names the devices that its containers get, by their files or as the engine calls them', () => {
    const devices = [
      { id: 'GPU-8f3c', files: ['/dev/nvidia0', '/dev/nvidiactl'] },
      { id: '1', cdi: 'nvidia.com/gpu=1' },
    ];
    const reading = site({ socket, gpus: { [GPU]: devices } }, { gpus: { [GPU]: 2 } });
    expect(
      reading.ok ? reading.site.destinations.get('here')?.engine : reading.problems,
    ).toMatchObject({
      container: {
        gpus: {
          [GPU]: [
            { id: 'GPU-8f3c', files: ['/dev/nvidia0', '/dev/nvidiactl'], cdi: undefined },
            { id: '1', files: [], cdi: 'nvidia.com/gpu=1' },
          ],
        },
      },
    });
  });

  test('has the architecture of its machine unless the site names another', () => {
    const archOf = (more: object) => {
      const reading = site({ socket }, more);
      return reading.ok ? reading.site.destinations.get('here')?.arch : reading.problems;
    };
    expect(archOf({})).toBe(process.arch === 'x64' ? 'amd64' : process.arch);
    expect(archOf({ arch: 'arm64' })).toBe('arm64');
  });

  test.each([
    [undefined, {}, "the container runner needs 'destinations.here.container'"],
    [{}, {}, "destinations.here.container needs one of 'socket' and 'tcp'"],
    [
      { socket, tcp: { host: 'a' } },
      {},
      "destinations.here.container needs one of 'socket' and 'tcp'",
    ],
    [{ tcp: { host: 'a', port: 2375 } }, {}, "destinations.here.container.tcp needs 'ca'"],
    [
      { socket },
      { burst: { cores: 2 } },
      'destinations.here.burst: the container runner gives a job what is kept for it and no ' +
        'more (leave burst out; process, notebook and kubernetes',
    ],
    [{ socket, network: 'a b' }, {}, "destinations.here.container.network cannot be 'a b'"],
    [
      { socket, images: { executable: 'busybox' } },
      {},
      "destinations.here.container.images.executable cannot be 'busybox'",
    ],
    [{ socket, sokcet: 1 }, {}, "destinations.here.container has no key 'sokcet'"],
    [{ socket, gpus: { [GPU]: [{ id: '0' }] } }, { gpus }, "[0] needs 'files' or 'cdi'"],
    [
      { socket, gpus: { [GPU]: [{ id: '0', cdi: '/dev/nvidia0' }] } },
      { gpus },
      "cdi cannot be '/dev/nvidia0' (a qualified name of the Container Device Interface, such as nvidia.com/gpu=0)",
    ],
    [
      { socket },
      { gpus },
      `destinations.here promises more devices of type '${GPU}' than destinations.here.container.gpus names`,
    ],
    [
      {
        tcp: { host: 'a', ca: 'a', cert: 'b', key: 'c' },
        gpus: { [GPU]: [{ id: '0', cdi: 'nvidia.com/gpu=0' }] },
      },
      { gpus },
      'destinations.here.container.gpus works only with an engine on this machine',
    ],
    [
      { socket },
      { 'task-types': ['executable'] },
      'destinations.here takes executable, which needs destinations.here.container.images.executable',
    ],
    [
      { socket },
      { 'task-types': ['jupyter-notebook'] },
      'destinations.here: the container runner does not execute jupyter-notebook',
    ],
    [
      { socket },
      { runner: 'process', 'task-types': ['executable'] },
      'destinations.here.container is for destinations with runner: container',
    ],
  ])('with %j and %j gets a message about the mistake', (container, more, message) =>
    expect(problemsOf(container, more)).toEqual(
      expect.arrayContaining([expect.stringContaining(message)]),
    ),
  );

  test('takes images from registries that are hosts', () => {
    expect(problemsOf({ socket }, {}, { registries: ['ghcr.io', '127.0.0.1:5000/astro'] })).toEqual(
      [],
    );
    expect(problemsOf({ socket }, {}, { registries: ['https://ghcr.io'] })).toEqual([
      expect.stringContaining("fetch.registries cannot have 'https://ghcr.io'"),
    ]);
  });
});
