import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Administration,
  Job,
  Planner,
  Result,
  VERSION,
} from '../../clients/typescript/src/index.ts';
import { readMarkdown, root } from '../docs/sources/markdown.ts';
import { contract } from '../harness/contract.ts';
import { processDestination, tokenOf } from '../harness/site.ts';
import { startWholeService, type WholeService } from '../harness/whole-service.ts';
import { openProject, type Project } from './project.ts';

const page = await readMarkdown('clients/typescript/README.md');
const example = page.fences
  .filter(({ words: [language] }) => language === 'ts')
  .map(({ text }) => text)
  .join('\n');

let project: Project;
beforeAll(async () => {
  project = await openProject();
});
afterAll(() => project?.close());

describe('the package', () => {
  test('has the version of the contract, and the exact version of its one dependency', async () => {
    const { version, dependencies } = await readJson('clients/typescript/package.json');
    const { devDependencies } = await readJson('package.json');
    expect([version, VERSION]).toEqual([Object(contract).info.version, version]);
    expect(dependencies).toEqual({ 'openapi-fetch': devDependencies['openapi-fetch'] });
  });

  test('holds code, types, the contract, its licence and its documents, and nothing else', () => {
    const code = project.files.filter((file) =>
      /^package\/dist\/[\w/-]+\.(?:js|d\.ts)$/.test(file),
    );
    expect(project.files.filter((file) => !code.includes(file))).toEqual([
      'package/CHANGELOG.md',
      'package/LICENSE',
      'package/README.md',
      'package/package.json',
    ]);
    const names = new Set(code.map((file) => file.replace(/\.(?:js|d\.ts)$/, '')));
    for (const name of names) expect(code).toContain(`${name}.d.ts`);
    expect(code).toContain('package/dist/api.d.ts');
  });
});

describe('its types', () => {
  const STRICT = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--target',
    'es2022',
  ];
  const NODE = ['--module', 'nodenext', '--lib', 'es2023', '--types', 'node'];
  const BROWSER =
    '--module esnext --moduleResolution bundler --lib es2023,dom,dom.iterable --typeRoots none';

  test.each([
    ['typescript', 'Node', NODE],
    ['typescript', 'browsers', BROWSER.split(' ')],
    ['typescript7', 'Node', NODE],
    ['typescript7', 'browsers', BROWSER.split(' ')],
  ])('agree with its README, for %s and %s', async (compiler, _, place) => {
    await project.write('readme.ts', example);
    const tsc = join(root, `node_modules/${compiler}/bin/tsc`);
    expect(await project.run(process.execPath, tsc, ...STRICT, ...place, 'readme.ts')).toBe('');
  });

  test('refuse what the contract refuses', async () => {
    await project.write('wrong.ts', WRONG);
    const tsc = join(root, 'node_modules/typescript7/bin/tsc');
    const told = await project
      .run(process.execPath, tsc, ...STRICT, ...NODE, 'wrong.ts')
      .catch(String);
    const lines = [...told.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line));
    const marked = WRONG.split('\n').flatMap((text, at) =>
      text.endsWith('// no') ? [at + 1] : [],
    );
    expect([...new Set(lines)]).toEqual(marked);
  });
});

describe('the README', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({
      site: {
        rules: ['rules.yml'],
        identity: { anonymous: false, tokens: [tokenOf('ada-token')] },
        destinations: { here: processDestination() },
      },
      rules: { destinations: { here: { runner: 'process' } } },
    });
  });
  afterAll(() => service?.close());

  test('names every call', () => {
    const calls = [Planner, Job, Result, Administration].flatMap(({ prototype }) =>
      Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor'),
    );
    const known = new Set(
      [...page.text.matchAll(/`(\w+)(?:\([^`]*\))?`/g)].map(([, name]) => name),
    );
    expect(calls.filter((name) => !known.has(name))).toEqual([]);
    expect(calls.length).toBeGreaterThan(30);
  });

  /** Node of the project, and the one of the machine, which may be as old as 20. */
  const nodes = [...new Set([process.execPath, nodeOfMachine()])];
  test.each(nodes)('does with %s what it says', async (node) => {
    const program = stripTypeScriptTypes(
      example.replaceAll('https://planner.example.org', service.url),
    );
    await project.write('readme.mjs', program);
    expect((await project.run(node, 'readme.mjs')).split('\n')).toEqual([
      'begin',
      'end',
      '2 sqrt(x)',
      '',
      'above-capacity resources.compute[0].min-cores',
      'resources.compute[0].min-cores: 4 instead of 64',
      'job-unknown 404',
      '',
    ]);
  });
});

/** Each marked line is one mistake. */
const WRONG = `import { openPlanner, type Offer } from 'execution-planner-client';
const planner = openPlanner('https://planner.example.org');
const answer = await planner.ask({ task: { type: 'x' } });
answer.offers; // no
if (answer.result === 'YES') await planner.accept(answer.offers[0]);
if (answer.result === 'YES') await planner.accept(answer.offers[1]); // no
await planner.ask({ resources: {} }); // no
await planner.ask({ task: { type: 7 } }); // no
const check = await planner.check({ task: { type: 'x' } });
if (check.result === 'YES') await planner.accept(check.offers[0]); // no
for await (const job of planner.jobs({ phase: ['DONE'] })) job.id; // no
for await (const offer of planner.offers({ status: ['OFFERED'] })) offer satisfies Offer;
await planner.job('7').wait({ timeout: '7' }); // no
(await planner.job('7').read()).phase === 'READY'; // no
for await (const line of planner.job('7').follow()) line satisfies string;
for await (const change of planner.events()) if (change.kind === 'job') change.phase;
for await (const change of planner.events()) if (change.kind === 'book') change.id; // no
await planner.api.GET('/nowhere'); // no
`;

async function readJson(file: string) {
  return JSON.parse(await readFile(join(root, file), 'utf8'));
}

/** Jest runs with the project's own Node first on its path. */
function nodeOfMachine(): string {
  const path = (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':');
  return execFileSync('sh', ['-c', 'command -v node'], {
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  }).trim();
}
