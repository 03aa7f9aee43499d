import { readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { graph, root } from './harness/import-graph.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

const MOST_FILES = 20;
/** In these folders each file is a module of Python. */
const FULLER = new Set(['src/python/modules', 'src/python/extra']);
const MOST_OF_A_CYCLE = 4;
/** The grammar is recursive, and so is the code that is made from it. */
const RECURSIVE = new Set(['src/python/syntax', 'src/python/emit']);

describe('the rooms', () => {
  test(`have at most ${MOST_FILES} files in a folder, but for modules of Python and recorded data`, async () => {
    const folders = Map.groupBy(await codeFiles(), (file) => dirname(file));
    const full = [...folders]
      .filter(([folder, files]) => files.length > MOST_FILES && !FULLER.has(folder))
      .map(([folder, files]) => `${folder}: ${files.length}`);
    expect(folders.size).toBeGreaterThan(100);
    expect(full).toEqual([]);
  });

  test(`have no import cycle of more than ${MOST_OF_A_CYCLE} files, but for the grammar of Python`, async () => {
    const imports = (await graph()).filter(
      ({ to, typeOnly }) => to.startsWith('src/') && !typeOnly,
    );
    const edges = new Map(
      [...Map.groupBy(imports, ({ from }) => from)].map(([from, all]) => [
        from,
        all.map(({ to }) => to),
      ]),
    );
    const long = cyclesOf(edges).filter(
      (cycle) =>
        cycle.length > MOST_OF_A_CYCLE && !cycle.every((file) => RECURSIVE.has(dirname(file))),
    );
    expect(long).toEqual([]);
  });
});

describe('the test of cycles', () => {
  test('finds every file of a cycle, and none beside it', () => {
    const edges = new Map([
      ['a', ['b', 'd']],
      ['b', ['c']],
      ['c', ['a', 'e']],
      ['d', ['e']],
      ['e', []],
    ]);
    expect(cyclesOf(edges).map((cycle) => cycle.toSorted())).toEqual([['a', 'b', 'c']]);
  });
});

async function codeFiles(): Promise<readonly string[]> {
  const folders = await Promise.all(
    ['src', 'workers', 'test', 'scripts', 'clients/typescript/src'].map((folder) =>
      readdir(join(root, folder), { recursive: true, withFileTypes: true }),
    ),
  );
  return folders
    .flat()
    .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs|cjs|py|sh)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('src/generated'));
}

/** Cycles of imports: strongly connected components of two or more files. */
function cyclesOf(edges: Graph): readonly (readonly string[])[] {
  const reach = new Map([...edges.keys()].map((file) => [file, reachedFrom(file, edges)]));
  const seen = new Set<string>();
  return [...edges.keys()].flatMap((file) => {
    if (seen.has(file) || reach.get(file)?.has(file) !== true) return [];
    const cycle = [...(reach.get(file) ?? [])].filter((other) => reach.get(other)?.has(file));
    for (const other of cycle) seen.add(other);
    return [cycle];
  });
}

function reachedFrom(file: string, edges: Graph): ReadonlySet<string> {
  const reached = new Set(edges.get(file));
  for (const next of reached) for (const to of edges.get(next) ?? []) reached.add(to);
  return reached;
}
