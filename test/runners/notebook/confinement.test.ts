import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { CONFINEMENT_FLAGS } from '../../../src/runners/notebook/confinement.ts';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const realm = fileURLToPath(new URL('realm.ts', import.meta.url));

test('JavaScript of a notebook opens no module of Node, evaluates no text and finds no I/O', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...CONFINEMENT_FLAGS, `--allow-fs-read=${project}`, '--no-warnings', realm],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const { tried, ...found } = JSON.parse(stdout);
  expect(found).toEqual({ opened: [], left: [], sqlite: false, env: [] });
  expect(tried).toBeGreaterThan(50);
});
