import { describe, expect, test } from '@jest/globals';
import { readSite } from '../../src/site/read.ts';

function engineOf(more: object) {
  const reading = site(more);
  return reading.ok
    ? reading.site.destinations.get('here')?.engine
    : reading.problems.map(({ message }) => message);
}

function site(more: object) {
  return readSite(
    '/etc/planner/site.yml',
    JSON.stringify({
      rules: ['rules.yml'],
      destinations: {
        here: {
          runner: 'notebook',
          'task-types': ['jupyter-notebook'],
          cores: 1,
          memory: '1GiB',
          ...more,
        },
      },
    }),
  );
}

describe('a destination for notebooks', () => {
  test('has the Python that comes with the service, or the Jupyter that the site names', () => {
    expect(engineOf({})).toEqual({ runner: 'notebook', jupyter: undefined });
    expect(engineOf({ notebook: { jupyter: '/usr/bin/python3' } })).toEqual({
      runner: 'notebook',
      jupyter: '/usr/bin/python3',
    });
  });

  test('may require isolation, like one for programs', () => {
    expect(engineOf({ notebook: { isolation: 'required' } })).toEqual({
      runner: 'notebook',
      jupyter: undefined,
      isolation: 'required',
    });
    expect(engineOf({ notebook: { isolation: 'perhaps' } })).toEqual([
      expect.stringContaining('destinations.here.notebook.isolation'),
    ]);
  });

  test.each([
    [
      { notebook: { jupyter: 'python3' } },
      "destinations.here.notebook.jupyter must be an absolute path, not 'python3'",
    ],
    [{ notebook: { python: '/usr/bin/python3' } }, "'python'"],
    [{ notebook: '/usr/bin/python3' }, 'destinations.here.notebook'],
    [{ gpus: { 'urn:gpu': 1 } }, 'destinations.here: the notebook runner does not hand out GPUs'],
    [
      { runner: 'process', 'task-types': ['executable'], notebook: {} },
      'destinations.here.notebook is for destinations with runner: notebook',
    ],
  ])('with %j gets a message about the mistake', (more, message) =>
    expect(engineOf(more)).toEqual(expect.arrayContaining([expect.stringContaining(message)])),
  );
});
