import { describe, expect, test } from '@jest/globals';
import { askOf, container, K, OWN, reasonsOf, refusalsOf, T, V1 } from './requests.ts';

const NOTEBOOK = 'https://example.org/a.ipynb';
const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('the executable of a request', () => {
  test.each([
    ['the schema of 2026', { kind: `${K}/executable/docker-container.yaml` }],
    ['the broker of 2025', { kind: `${V1}/executable/docker-container-1.0` }],
    ['the draft of 2024', { type: `${T}/executables/docker-container-1.0` }],
    ['the schema of October 2025', { type: `${T}/executable/docker-container-1.0` }],
    ['its short form', { type: 'uri:docker-container-1.0' }],
    [
      'the appendix of 2024',
      { type: 'https://www.purl.org/ivoa.net/executable-types/oci-container' },
    ],
    ['this service', { kind: `${OWN}/executable/docker-container-1.0` }],
  ])('is a container in the words of %s', (_, words) => {
    const { taskType, task } = askOf({ executable: { ...words, image: container.image } });
    expect([taskType, task.type]).toEqual([
      'https://www.purl.org/ivoa-net/task-type/oci-container',
      'oci-container',
    ]);
  });

  test('has everything that a container of 2026 says', () => {
    const { task } = askOf({
      executable: {
        ...container,
        meta: { name: 'one', description: 'an example' },
        image: {
          ...container.image,
          digest: DIGEST,
          platform: { architecture: 'amd64', os: 'linux' },
        },
        entrypoint: '/bin/run',
        command: ['a', 'b'],
        environment: { NAME: 'value' },
        privileged: false,
        network: { ports: [] },
      },
    });
    expect(task).toEqual({
      type: 'oci-container',
      image: {
        kind: 'registry',
        registry: 'ghcr.io',
        repository: 'ivoa/example',
        tag: '1.0',
        digest: DIGEST,
      },
      architectures: ['amd64'],
      entrypoint: ['/bin/run'],
      command: ['a', 'b'],
      environment: { NAME: 'value' },
      network: 'none',
    });
  });

  test.each([
    ['2025 and 2026', { kind: `${K}/executable/jupyter-notebook.yaml`, location: NOTEBOOK }],
    ['2024', { type: 'uri:jupyter-notebook-1.0', notebook: { file: NOTEBOOK } }],
    ['2024, with a spec', { type: 'uri:jupyter-notebook-1.0', spec: { notebook: NOTEBOOK } }],
  ])('is a notebook in the words of %s', (_, executable) => {
    expect(askOf({ executable }).task).toEqual({
      type: 'jupyter-notebook',
      notebook: { kind: 'url', url: NOTEBOOK },
    });
  });

  test.each([
    ['python-program', { source: 'print(1)', arguments: ['a'] }],
    ['executable', { command: ['sort', 'list'] }],
    ['helm-chart', { chart: 'https://example.org/chart.tgz' }],
  ])('is a %s under a URI of this service', (name, words) => {
    const executable = { kind: `${OWN}/executable/${name}-1.0`, ...words };
    expect(askOf({ executable }).task.type).toBe(name);
  });

  test('is a Singularity image that no engine runs', () => {
    const [kind, type] = [
      `${K}/executable/singularity-container.yaml`,
      `${T}/executables/singularity-container-1.0`,
    ];
    expect(reasonsOf({ executable: { kind, location: 'https://example.org/a.sif' } })).toEqual([
      'no-singularity executable.kind',
    ]);
    expect(reasonsOf({ executable: { type } })).toEqual(['no-singularity executable.type']);
  });

  test.each([
    'https://example.org/executable/docker-container.yaml',
    `${K}/executable/other-thing.yaml`,
    `${K}/compute/docker-container.yaml`,
    'docker-container',
    '',
  ])('is not guessed from the end of %p', (kind) => {
    expect(reasonsOf({ executable: { ...container, kind } })).toEqual([
      'unknown-task-type executable.kind',
    ]);
  });

  test.each<readonly [string, object, string]>([
    [
      'a digest that is none',
      { image: { ...container.image, digest: 'latest' } },
      'task-spec-invalid executable.image.digest',
    ],
    ['privileges', { privileged: true }, 'task-spec-invalid executable.privileged'],
    [
      'published ports',
      { network: { ports: [{ access: true, internal: { port: 80 } }] } },
      'no-connectors executable.network.ports',
    ],
    ['another word', { colour: 'red' }, 'task-spec-unknown-key executable.colour'],
    [
      'another system',
      { image: { ...container.image, platform: { os: 'windows' } } },
      'task-spec-invalid executable.image.platform.os',
    ],
    [
      'an image of no registry',
      { image: { locations: ['ubuntu:24.04'] } },
      'task-spec-invalid executable.image.locations[0]',
    ],
  ])('is refused with the place of %s', (_, words, reason) => {
    expect(reasonsOf({ executable: { ...container, ...words } })).toEqual([reason]);
  });

  test('names the place of a notebook as the client writes it', () => {
    const type = 'uri:jupyter-notebook-1.0';
    const file = 'ftp://example.org/a';
    expect(reasonsOf({ executable: { type, notebook: { file } } })).toEqual([
      'url-forbidden executable.notebook.file',
    ]);
    expect(reasonsOf({ executable: { type, location: file } })).toEqual([
      'url-forbidden executable.location',
    ]);
    expect(reasonsOf({ executable: { type, location: NOTEBOOK, requirements: {} } })).toEqual([
      'task-spec-invalid executable.requirements',
    ]);
    expect(reasonsOf({ executable: { type, location: NOTEBOOK, kernel: {} } })).toEqual([
      'task-spec-unknown-key executable.kernel',
    ]);
    expect(
      reasonsOf({ executable: { type, location: NOTEBOOK, notebook: { file: NOTEBOOK } } }),
    ).toEqual(['time-ambiguous executable.notebook']);
  });

  test('repeats what an offer says of it', () => {
    const told = { phase: 'OFFERED', schedule: {}, access: [], meta: { uuid: 'x', url: 'y' } };
    expect(reasonsOf({ executable: { ...container, ...told } })).toEqual([]);
  });

  test('has at most a hundred faults', () => {
    const colours = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`colour${n}`, n]));
    expect(refusalsOf({ executable: container, ...colours })).toHaveLength(100);
  });
});
