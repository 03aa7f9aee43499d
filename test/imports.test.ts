import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { graph, importsOf, root, sources } from './harness/import-graph.ts';

/** Files that these files load, at once or later. */
async function reachedAtRunTime(roots: readonly string[]): Promise<ReadonlySet<string>> {
  const reached = new Set(roots);
  for (const file of reached) {
    const later = [
      ...(await readFile(join(root, file), 'utf8')).matchAll(/import\('(\.[^']+)'\)/g),
    ];
    const loaded = (await importsOf(file)).filter(({ typeOnly }) => !typeOnly);
    const found = [
      ...loaded.map(({ to }) => to),
      ...later.map(([, specifier = '']) => normalize(join(dirname(file), specifier))),
    ];
    for (const to of found) if (/^(?:src|workers)\//.test(to)) reached.add(to);
  }
  return reached;
}

function folderOf(path: string): string {
  return /^src\/[^/]+\//.test(path) ? (path.split('/')[1] ?? '') : path;
}

/**
 * The rows of a table in docs/architecture.md whose first column begins like this: the names in
 * code of both columns.
 */
function tableOf(heading: string): readonly (readonly [readonly string[], readonly string[]])[] {
  const [, text = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split(
    `## ${heading}\n`,
  );
  const [section = ''] = text.split('\n## ');
  const names = (cell = ''): readonly string[] =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, first, second] = line.split('|');
      return [names(first), names(second)];
    });
}

function rootsTold(): readonly string[] {
  const [, told = ''] =
    /only the composition roots([^.]*(?:\.ts[^.]*)*)need more/.exec(
      readFileSync(join(root, 'docs/architecture.md'), 'utf8'),
    ) ?? [];
  return [...told.matchAll(/`([^`]+)`/g)].map(([, name = '']) => `src/${name}`);
}

/**
 * Folders of src that each folder may import, from docs/architecture.md; `words` is for everybody.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  tableOf('Who may import whom').flatMap(([folders, imports]) =>
    folders.map((folder) => [folder, imports.filter((name) => name !== 'src')]),
  ),
);

/** Files of pure folders that do I/O, as their docstrings say. */
const IO_FILES = new Set([
  'src/schedule/book.ts',
  'src/schedule/stores.ts',
  'src/planner/record/named-objects.ts',
  'src/planner/record/kept-ask.ts',
  'src/planner/record/live-jobs.ts',
  'src/planner/planner.ts',
  'src/site/load.ts',
]);
const PURE = new Set([
  'words',
  'python',
  'yaml',
  'vortex',
  'schedule',
  'compute',
  'environments',
  'workflows',
  'tasks',
  'dialects',
  'planner',
  'site',
]);
/** Modules that touch nothing outside the process. */
const HARMLESS = new Set([
  'node:path',
  'node:util',
  'luxon',
  'ical.js',
  'js-yaml',
  'ipaddr.js',
  'uuid',
  'pino',
  'semver',
  '@renovatebot/pep440',
  'ajv/dist/2020.js',
  '@noble/hashes/legacy.js',
  '@noble/hashes/sha2.js',
  '@noble/hashes/blake2.js',
]);

/** Files that docs/architecture.md allows to import more than `MOST_IMPORTS` others. */
const ROOTS = rootsTold();
const MOST_IMPORTS = 15;
/** The files with SQL, by folder; no others have any. */
const SQL_FILES: Readonly<Record<string, readonly string[]>> = {
  src: ['lost-runners'],
  'src/audit': ['trail'],
  'src/db': ['client'],
  'src/executor': [
    'forecasting',
    'guarantees',
    'handed-site',
    'heartbeat',
    'inherited-files',
    'left-files',
    'live-executors',
    'round-claim',
    'tidying',
  ],
  'src/executor/claims': ['afterwards', 'attempts', 'taking'],
  'src/http/metrics': ['engine-health', 'metrics', 'records-metrics', 'results-metrics'],
  'src/identity': ['names', 'owners'],
  'src/identity/sign-in': ['sign-ins'],
  'src/planner/record': [
    'decision-key',
    // Answers with the documents of their asks, alone and as lists.
    'kept-answers',
    'kept-ask',
    'list-asks',
    'list-offers',
    'live-jobs',
    'offer-rows',
    'open-answers',
    'quota-use',
    'stored-bytes',
    'update-offer',
    'work',
    'write-answers',
  ],
  'src/schedule': [
    'book',
    'closures',
    'drains',
    'forecasts',
    'reserved',
    'resource-pools',
    'results',
    'stores',
    'use',
  ],
  'src/sweeper': ['purge', 'sweep'],
  'src/uws/store': [
    'decision',
    'job-counts',
    'job-times',
    'kept-parameters',
    'list-jobs',
    'read-job',
    'store',
    'own-changes',
  ],
};
const SQL = new RegExp(
  String.raw`\$queryRaw|\$executeRaw|\bqueryFast\b|\$transaction|` +
    String.raw`\bdatabase\.[a-zA-Z]+\.(?:find|count|create|update|delete|upsert)`,
);

describe('docs/architecture.md', () => {
  test('says what every folder of src is, and whom each may import, but for the shells', async () => {
    const folders = [
      ...new Set((await sources()).filter((file) => file.split('/').length > 2).map(folderOf)),
    ].toSorted();
    const told = tableOf('Folders')
      .flatMap(([names]) => names)
      .flatMap((name) => /^src\/([a-z]+)\/$/.exec(name)?.[1] ?? []);
    expect(told.toSorted()).toEqual(folders);
    expect([...Object.keys(MAY_IMPORT), 'http', 'cli'].toSorted()).toEqual(folders);
  });
});

describe('the import graph', () => {
  test('follows the directions of docs/architecture.md', async () => {
    const wrong = (await graph()).filter(({ from, to }) => {
      const allowed = MAY_IMPORT[folderOf(from)];
      if (allowed === undefined || !to.startsWith('src/') || to.startsWith('src/generated'))
        return false;
      return (
        folderOf(to) !== folderOf(from) &&
        folderOf(to) !== 'words' &&
        !allowed.includes(folderOf(to))
      );
    });
    expect(wrong).toEqual([]);
  });

  test('leads from the console to the client alone, and from the client to nothing of the project', async () => {
    const outside = async (folder: string): Promise<readonly string[]> =>
      (await Promise.all((await sources(folder)).map(importsOf)))
        .flat()
        .filter(({ to }) => !to.startsWith(folder))
        .map(({ to, typeOnly }) => (typeOnly ? `types of ${to}` : to));
    const ofConsole = (await outside('src/console')).filter((to) => /\b(?:src|clients)\//.test(to));
    expect(ofConsole.filter((to) => !to.includes('clients/typescript/src/'))).toEqual([]);
    expect(ofConsole.length).toBeGreaterThan(5);
    expect([...new Set(await outside('clients/typescript/src'))].toSorted()).toEqual([
      'openapi-fetch',
      'types of src/generated/api.d.ts',
    ]);
  });

  test('lets nothing import http, cli, workers or the composition root but those themselves', async () => {
    const tops = ['http', 'cli'];
    const wrong = (await graph()).filter(({ from, to }) => {
      const target = folderOf(to);
      if (target === 'src/main.ts') return folderOf(from) !== 'cli';
      return (
        to.startsWith('workers') ||
        (tops.includes(target) && ![...tops, 'src/main.ts'].includes(folderOf(from)))
      );
    });
    expect(wrong).toEqual([]);
  });

  test('leads from the service and its workers to none of the tools for rule files', async () => {
    const reached = await reachedAtRunTime([
      'src/main.ts',
      'src/sandbox/guest.ts',
      'workers/executor.ts',
      'workers/sweeper.ts',
    ]);
    expect(reached.has('src/vortex/decide/steps.ts')).toBe(true);
    expect([...reached].filter((file) => file.startsWith('src/vortex/tools/'))).toEqual([]);
  });

  test(`has at most ${MOST_IMPORTS} imports of the project in a file, but for three roots`, async () => {
    const imported = Map.groupBy(
      (await graph()).filter(({ to }) => to.startsWith('src/')),
      ({ from }) => from,
    );
    const wide = [...imported]
      .filter(([, all]) => new Set(all.map(({ to }) => to)).size > MOST_IMPORTS)
      .map(([file]) => file);
    expect(ROOTS).toHaveLength(3);
    expect(wide.toSorted()).toEqual(ROOTS.toSorted());
  });

  test('keeps I/O out of the pure folders', async () => {
    const wrong = (await graph()).filter(
      ({ from, to, typeOnly }) =>
        PURE.has(folderOf(from)) &&
        !IO_FILES.has(from) &&
        !typeOnly &&
        !to.startsWith('src/') &&
        !HARMLESS.has(to),
    );
    expect(wrong).toEqual([]);
  });

  test('keeps the clock, randomness and the environment out of the pure folders', async () => {
    const files = (await sources()).filter((file) => PURE.has(folderOf(file)));
    const found: string[] = [];
    for (const file of files) {
      const text = (await readFile(join(root, file), 'utf8')).replaceAll(
        /\/\*[\s\S]*?\*\/|\/\/.*$/gm,
        '',
      );
      if (
        /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.env\b|\bsetTimeout\(|\bfetch\(/.test(
          text,
        )
      )
        found.push(file);
    }
    expect(found).toEqual([]);
  });

  test('keeps SQL in the files that are named for it, and each of them has some', async () => {
    const found: string[] = [];
    for (const file of await sources())
      if (SQL.test(await readFile(join(root, file), 'utf8'))) found.push(file);
    const named = Object.entries(SQL_FILES).flatMap(([folder, names]) =>
      names.map((name) => `${folder}/${name}.ts`),
    );
    expect(found.toSorted()).toEqual(named.toSorted());
  });

  test('keeps the planner out of runners, and lets planner and site know only port and engines', async () => {
    const wrong = (await graph()).filter(
      ({ from, to }) =>
        (folderOf(from) === 'runners' && folderOf(to) === 'planner') ||
        (['planner', 'site'].includes(folderOf(from)) &&
          folderOf(to) === 'runners' &&
          !/^src\/runners\/(port|engine)\.ts$/.test(to)),
    );
    expect(wrong).toEqual([]);
  });
});
