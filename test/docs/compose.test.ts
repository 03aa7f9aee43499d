import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { Client } from 'pg';
import { root } from './sources/markdown.ts';
import { settingNames } from './sources/setting-names.ts';

const compose = Object(load(await read('docker-compose.yml')));
/** Instructions of the Dockerfile with continued lines joined: `['COPY', 'a b ./']`. */
const instructions = (await read('Dockerfile'))
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);

function of(name: string): readonly string[] {
  return instructions.filter(([instruction]) => instruction === name).map(([, rest]) => rest);
}

const ignored = new Set((await read('.dockerignore')).split('\n'));
const manifest = JSON.parse(await read('package.json'));

function sourcesOf(copy: string): readonly string[] {
  return copy
    .split(' ')
    .filter((word) => !word.startsWith('--'))
    .slice(0, -1);
}

const IMPORT =
  /^(?:import|export)\s+(?!type\s)(?:[^'"]*?\sfrom\s+)?['"]([^'"]+)['"]|resolve\('([^']+)'\)|import\('([^']+)'\)/gms;

/** Packages that the service imports, each with the first file that does. */
async function importedPackages(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const folder of ['src', 'workers']) {
    const entries = await readdir(join(root, folder), { recursive: true });
    for (const name of entries.filter(
      (entry) =>
        /\.(?:ts|mjs)$/.test(entry) &&
        !entry.endsWith('.d.ts') &&
        // Its packages are in the built files.
        !entry.startsWith('console/'),
    )) {
      const text = await read(join(folder, name));
      for (const [, one, two, three] of text.matchAll(IMPORT)) {
        const specifier = one ?? two ?? three ?? '';
        const local =
          specifier.startsWith('.') ||
          specifier.startsWith('node:') ||
          builtinModules.includes(specifier);
        if (!local) found.set(packageOf(specifier), join(folder, name));
      }
    }
  }
  return found;
}

function read(file: string): Promise<string> {
  return readFile(join(root, file), 'utf8');
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

describe('the Dockerfile', () => {
  test('copies only what exists and is not ignored', () => {
    const copied = of('COPY')
      .filter((copy) => !copy.startsWith('--from'))
      .flatMap(sourcesOf);
    expect(copied.filter((path) => !existsSync(join(root, path)) || ignored.has(path))).toEqual([]);
    expect(copied.length).toBeGreaterThan(5);
  });

  test('copies every folder that the service reads at run time', () => {
    const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'));
    const copied = last.filter(([name]) => name === 'COPY').flatMap(([, copy]) => sourcesOf(copy));
    expect(copied).toEqual(
      expect.arrayContaining([
        'api',
        'prisma',
        'src',
        'workers',
        'package.json',
        '/app/src/generated',
        'docs',
      ]),
    );
  });

  test('sets environment variables that the settings know', () => {
    const names = of('ENV').flatMap((line) =>
      line.split(' ').map((pair) => pair.split('=')[0] ?? ''),
    );
    expect(names.filter((name) => name !== 'NODE_ENV' && !settingNames().has(name))).toEqual([]);
  });

  test('runs the demonstration site, whose site file says that only the container confines programs', async () => {
    const [, file = ''] = /SITE_FILE=\/app\/(\S+)/.exec(of('ENV').join(' ')) ?? [];
    const [inside, outside] = [
      Object(load(await read(file))),
      Object(load(await read('src/site/local/site.yml'))),
    ];
    const { programs, ...others } = outside.destinations;
    expect(inside).toEqual({
      ...outside,
      destinations: { ...others, programs: { ...programs, process: { isolation: 'none' } } },
    });
  });

  test('starts a program that exists, on the Node that the project needs', () => {
    const [command = '[]'] = of('CMD');
    const words: string[] = JSON.parse(command);
    const script = words.find((word) => word.startsWith('src/')) ?? '';
    expect(existsSync(join(root, script))).toBe(true);
    const needed = /\d+/.exec(manifest.engines.node)?.[0];
    expect(of('FROM').map((image) => /^node:(\d+)/.exec(image)?.[1])).toEqual(
      of('FROM').map(() => needed),
    );
  });

  test('includes every package that the service imports, and package.json names no others', async () => {
    const imported = await importedPackages();
    const declared = Object.keys(manifest.dependencies);
    // A new plug-in imports the package of the service itself.
    const own = 'execution-planner';
    expect([...imported].filter(([name]) => name !== own && !declared.includes(name))).toEqual([]);
    expect(declared.filter((name) => !imported.has(name))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  const { planner, database } = compose.services;

  test('gives the service environment variables that its settings or its driver know', () => {
    const { PGPASSWORD: _, ...own } = planner.environment;
    expect(Object.keys(own).filter((name) => !settingNames().has(name))).toEqual([]);
  });

  test('connects the service to the database that it starts, whatever letters the password has', () => {
    const { POSTGRES_USER: user, POSTGRES_DB: name } = database.environment;
    const { DATABASE_URL: connectionString, PGPASSWORD: given } = planner.environment;
    expect(given).toBe('${POSTGRES_PASSWORD:?}');
    const password = process.env['PGPASSWORD'];
    process.env['PGPASSWORD'] = 'a/b#c?d@e+%f';
    const client = new Client({ connectionString });
    if (password === undefined) delete process.env['PGPASSWORD'];
    else process.env['PGPASSWORD'] = password;
    expect(client).toMatchObject({
      host: 'database',
      port: 5432,
      user,
      database: name,
      password: 'a/b#c?d@e+%f',
    });
    expect(Object.keys(planner.depends_on)).toEqual(['database']);
  });

  test('gives the service a fixed name, so that after another `up` it goes on with its jobs', () => {
    expect(planner.hostname).toMatch(/^[a-z]+$/);
  });

  test('publishes the port of the image to this machine only', () => {
    const [, port] = /PORT=(\d+)/.exec(of('ENV').join(' ')) ?? [];
    expect(planner.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(of('EXPOSE')).toEqual([port]);
  });

  test('keeps database and jobs in volumes that it declares, jobs where the image puts them', () => {
    const used = [...database.volumes, ...planner.volumes].map(
      (volume: string) => volume.split(':')[0],
    );
    expect(used.toSorted()).toEqual(Object.keys(compose.volumes).sort());
    const [, data] = /DATA_DIR=(\S+)/.exec(of('ENV').join(' ')) ?? [];
    expect(planner.volumes.map((volume: string) => volume.split(':')[1])).toEqual([data]);
  });
});
