import { describe, expect, test } from '@jest/globals';
import {
  containerVolumeProblem,
  notebookVolumeProblem,
  processVolumeProblem,
  volumesWithout,
  volumeVariable,
} from '../../src/tasks/volumes.ts';

describe('volumes', () => {
  const volume = (path: string, name = 'data') => ({ name, path, mode: 'rw' }) as const;
  test.each(['data', 'a/b', './x', 'a b'])('%s is a place in the working directory', (path) => {
    expect(processVolumeProblem(volume(path))).toBeUndefined();
    expect(notebookVolumeProblem(volume(path))).toBeUndefined();
  });
  test.each(['/data', '..', 'a/../../b', '', '.', './', 'a\0b', 'x'.repeat(501)])(
    '%j is no place',
    (path) => expect(processVolumeProblem(volume(path))).toBeDefined(),
  );
  test.each(['/', '//', '/lib', '/lib/python3.14', '/proc/1', '/job', '/usr/'])(
    '%s is no place in a notebook either',
    (path) => expect(notebookVolumeProblem(volume(path))).toBeDefined(),
  );
  test('a notebook may have absolute places, and every volume has a plain name', () => {
    expect(notebookVolumeProblem(volume('/data/in'))).toBeUndefined();
    for (const name of ['', '../x', 'a/b', '.x', 'a\n'])
      expect(notebookVolumeProblem(volume('/data', name))).toContain('a volume is named with');
    expect(volumeVariable(volume('x', 'my-data.1'))).toBe('VOLUME_MY_DATA_1');
  });

  test('has no mark in its path that the engine would interpret', () => {
    const slurm = volumesWithout(',"', processVolumeProblem);
    const kubernetes = volumesWithout(':', containerVolumeProblem);
    expect(['a,b', 'a"b', 'a:b'].map((path) => slurm(volume(path)) === undefined)).toEqual([
      false,
      false,
      true,
    ]);
    expect(['a,b', 'a"b', 'a:b'].map((path) => kubernetes(volume(path)) === undefined)).toEqual([
      true,
      true,
      false,
    ]);
    expect(kubernetes(volume('a:b'))).toBe('the engine takes no path with : in it: a:b');
    expect(['a,b', 'a"b', 'a:b'].map((path) => containerVolumeProblem(volume(path)))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
