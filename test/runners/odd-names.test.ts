import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../src/runners/run/directory.ts';
import { diskUse, workResults } from '../../src/runners/run/results.ts';

const root = mkdtempSync(join(tmpdir(), 'odd-names-test-'));
afterAll(() => void execFileSync('rm', ['-rf', root]));

/** A name as bytes of Latin-1, which are no UTF-8. */
function latin(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

/** Folders in each other, so that no path says the last one. @returns the first one */
function deepTree(name: string): string {
  const [first, second] = [join(root, name), join(root, `${name}-inside`)];
  const way = Array.from({ length: 18 }, () => 'd'.repeat(200)).join('/');
  for (const half of [first, second]) mkdirSync(join(half, way), { recursive: true });
  writeFileSync(join(second, way, 'big'), Buffer.alloc(1_000_000));
  renameSync(second, join(first, way, 'inside'));
  return first;
}

describe('files whose names are not UTF-8', () => {
  test('are results under names that are, each once, also in folders of such names', async () => {
    const job = join(root, 'latin');
    const work = join(job, 'work');
    mkdirSync(latin(work, 'd\xff'), { recursive: true });
    writeFileSync(latin(work, 'caf\xe9.txt'), 'one');
    writeFileSync(latin(work, 'caf\xe8.txt'), 'two');
    writeFileSync(join(work, 'caf_.txt'), 'three');
    writeFileSync(latin(work, 'd\xff/in\xff'), 'four');
    const results = await workResults({ root: job, work }, undefined, new Set());
    const texts = results.map(({ path }) => readFileSync(join(job, path), 'utf8'));
    expect(texts.toSorted()).toEqual(['four', 'one', 'three', 'two']);
    expect(results.map(({ id }) => id)).toContain('d__in_');
    expect(await workResults({ root: job, work }, undefined, new Set())).toHaveLength(4);
  });

  test('count against the scratch space', async () => {
    const place = join(root, 'hidden');
    mkdirSync(place);
    mkdirSync(latin(place, 'd\xff'));
    writeFileSync(latin(place, 'd\xff/big'), Buffer.alloc(1_000_000));
    expect(await diskUse([place], 10_000_000)).toBeGreaterThan(1_000_000);
  });
});

describe('files deep in a tree', () => {
  test('are results, however many folders are around them', async () => {
    const job = join(root, 'deep');
    const folder = ['work', ...Array.from({ length: 100 }, () => 'd')].join('/');
    mkdirSync(join(job, folder), { recursive: true });
    writeFileSync(join(job, folder, 'found.txt'), '');
    const results = await workResults({ root: job, work: join(job, 'work') }, undefined, new Set());
    expect(results.map(({ path }) => path)).toEqual([`${folder}/found.txt`]);
  });

  test('are too much for the scratch space where no path is long enough for them', async () => {
    const place = deepTree('counted');
    expect(await diskUse([place], 10_000_000)).toBeGreaterThan(10_000_000);
  });

  test('are removed, too, where no path is long enough for them', async () => {
    const place = deepTree('removed');
    await removeTree(place);
    expect(existsSync(place)).toBe(false);
  });
});

describe('files that their owner may not read', () => {
  test('are results that the service can read', async () => {
    const job = join(root, 'closed');
    const work = join(job, 'work');
    mkdirSync(join(work, 'closed'), { recursive: true });
    writeFileSync(join(work, 'closed', 'inside'), 'inside', { mode: 0 });
    execFileSync('chmod', ['0300', join(work, 'closed')]);
    const results = await workResults({ root: job, work }, undefined, new Set());
    expect(results.map(({ path }) => path)).toEqual(['work/closed/inside']);
    expect(readFileSync(join(work, 'closed', 'inside'), 'utf8')).toBe('inside');
    rmSync(work, { recursive: true });
  });
});
