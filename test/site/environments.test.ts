import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';

const INDEX = 'https://pypi.org/simple';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const ANY = { venv: { python: '/usr/bin/python3', index: INDEX, time: 'PT3M' }, paths: ['/srv'] };

const ALL = {
  astro: { python: '/opt/astro/bin/python', paths: ['/etc/texmf'] },
  'built-in': { pyodide: true },
  any: ANY,
  picture: { image: `quay.io/astro/python@${DIGEST}` },
};
const ASTRO = {
  name: 'astro',
  kind: 'interpreter',
  python: '/opt/astro/bin/python',
  paths: ['/etc/texmf'],
};

describe('the environments of a site', () => {
  test('are interpreters and the built-in Python, which destinations name in their order', () => {
    expect(engineWith({ environments: ['built-in', 'astro'] })).toMatchObject({
      runner: 'notebook',
      environments: [{ name: 'built-in', kind: 'pyodide' }, ASTRO],
    });
  });

  test('give the process runner its Python', () => {
    const process = { runner: 'process', 'task-types': ['python-program'] };
    expect(engineWith({ ...process, environments: ['astro'] })).toMatchObject({
      environments: [ASTRO],
    });
    expect(engineWith(process)).toEqual([expect.stringContaining('needs runners.process.python')]);
  });

  test('may be made for jobs, from one index', () => {
    expect(engineWith({ environments: ['any'] })).toMatchObject({
      environments: [
        {
          name: 'any',
          kind: 'venv',
          python: '/usr/bin/python3',
          index: INDEX,
          paths: ['/srv'],
          builds: false,
          time: 180,
        },
      ],
    });
  });

  test('give the nodes of a cluster Python and Jupyter', () => {
    const slurm = {
      runner: 'slurm',
      slurm: { partition: 'main', user: 'vo' },
      'task-types': ['python-program', 'jupyter-notebook'],
    };
    expect(engineWith({ ...slurm, environments: ['astro'] })).toMatchObject({
      environments: [ASTRO],
    });
    expect(engineWith(slurm)).toHaveLength(2);
  });

  test.each([
    [{ environments: ['mine'] }, "destinations.here.environments names 'mine'"],
    [{ environments: [] }, 'destinations.here.environments names no environment'],
    [
      { environments: ['astro'], notebook: { jupyter: '/usr/bin/python3' } },
      'destinations.here.environments and notebook.jupyter exclude each other',
    ],
    [
      { runner: 'process', 'task-types': ['python-program'], environments: ['built-in'] },
      'destinations.here.environments: the process runner has no built-in Python',
    ],
    [
      { environments: ['picture'] },
      'destinations.here.environments: the notebook runner takes no images',
    ],
    [
      {
        runner: 'container',
        container: { socket: '/run/podman.sock' },
        'task-types': ['oci-container'],
        environments: ['astro'],
      },
      'destinations.here.environments: the container runner takes images alone',
    ],
  ])('are wrong with %j', (destination, problem) => {
    expect(engineWith(destination)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    [{ a: {} }, "environments.a needs 'python'"],
    [{ a: { image: 'quay.io/astro/python:3' } }, "environments.a.image cannot be 'quay.io/astro/"],
    [{ a: { image: `quay.io/astro/python@${DIGEST}`, paths: ['/a'] } }, 'a.image excludes other'],
    [{ a: { venv: { index: INDEX } } }, 'environments.a.venv.python is missing'],
    [{ a: { venv: { python: '/a' } } }, 'environments.a.venv.index is missing'],
    [
      { a: { python: '/a', venv: { python: '/a', index: INDEX } } },
      'environments.a: venv excludes',
    ],
    [
      { a: { venv: { python: '/a', index: 'http://pypi.org/simple' } } },
      "environments.a.venv.index must be an https URL, or http on this machine, not 'http://pypi",
    ],
    [{ a: { venv: { python: '/a', index: INDEX, most: 0 } } }, 'environments.a.venv.most'],
    [{ a: { python: 'python3' } }, "environments.a.python must be an absolute path, not 'python3'"],
    [{ a: { python: '/opt/../bin/python' } }, 'environments.a.python must be an absolute path'],
    [{ a: { python: '/a', pyodide: true } }, 'environments.a: pyodide excludes python'],
    [{ 'a b': { python: '/a' } }, "environments cannot have the name 'a b'"],
    [{ a: { python: '/a', paths: ['etc'] } }, "environments.a.paths cannot have 'etc'"],
  ])('cannot be %j', (environments, problem) => {
    expect(engineWith({}, environments)).toEqual([expect.stringContaining(problem)]);
  });
});

function engineWith(destination: object, environments: object = ALL) {
  const reading = readSite(
    '/etc/planner/site.yml',
    JSON.stringify({
      rules: ['rules.yml'],
      environments,
      destinations: {
        here: {
          runner: 'notebook',
          'task-types': ['jupyter-notebook'],
          cores: 1,
          memory: '1GiB',
          ...destination,
        },
      },
    }),
  );
  return reading.ok
    ? reading.site.destinations.get('here')?.engine
    : reading.problems.map(({ message }) => message);
}
