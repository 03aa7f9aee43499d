import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RULES_COMMANDS } from '../../src/cli/rules/commands.ts';
import { openWeb, rulesOf, type Web } from '../rules/rules-folder.ts';
import { openGround, PLANNER } from './service-process.ts';

let web: Web;
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'remote-rules-'));
  web = await openWeb();
  web.answer = (request, response) => {
    if (request.url === '/rules.yml') response.end(rulesOf(3));
    else if (request.url === '/moved.yml')
      response.writeHead(301, { location: '/rules.yml' }).end();
    else response.writeHead(404).end();
  };
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(name: keyof typeof RULES_COMMANDS, ...words: readonly string[]) {
  let out = '';
  let err = '';
  const terminal = {
    folder,
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  return { code: await RULES_COMMANDS[name](words, terminal), out, err };
}

describe('commands on rule files take URLs as TPV does', () => {
  test('lint, format, dump, dry-run and why-not, redirects included', async () => {
    const url = web.url('/moved.yml');
    expect(await run('lint', url)).toMatchObject({
      code: 0,
      out: expect.stringContaining('lint successful'),
    });
    expect(await run('format', url)).toMatchObject({
      code: 0,
      out: expect.stringContaining('cores: 3'),
    });
    expect(await run('dump', url)).toMatchObject({ code: 0, out: expect.stringContaining('sort') });
    expect(await run('dry-run', '--tool', 'sort', url)).toMatchObject({
      code: 0,
      out: expect.stringContaining('local'),
    });
    expect(await run('why-not', '--destination', 'here', url)).toMatchObject({ code: 0 });
  });

  test('in a job configuration too', async () => {
    await writeFile(
      join(folder, 'job_conf.yml'),
      `execution: {environments: {tpv_dispatcher: {tpv_config_files: ["${web.url('/rules.yml')}"]}}}\n`,
    );
    expect(await run('dump', '--job-conf', 'job_conf.yml')).toMatchObject({
      code: 0,
      out: expect.stringContaining('sort'),
    });
  });

  test('and say what is wrong with one that cannot be fetched', async () => {
    expect(await run('dump', web.url('/none.yml'))).toMatchObject({
      code: 1,
      err: `planner dump: ${web.url('/none.yml')}: 127.0.0.1 answered with HTTP status 404\n`,
    });
    expect(await run('lint', 'http://nowhere.invalid/x.yml')).toMatchObject({
      code: 1,
      out: expect.stringContaining('the host nowhere.invalid is not known'),
    });
  });
});

test('planner check reads the URLs and inline rules of a site file', async () => {
  const ground = await openGround();
  try {
    const check = async (rules: string) => {
      const file = join(ground.folder, 'site.yml');
      await writeFile(
        file,
        `rules: ${rules}\nrule-urls: {allow-hosts: ["http://${web.host}"]}\n` +
          'destinations: {here: {runner: process, task-types: [executable], ' +
          'cores: 4, memory: 8GiB}}\n',
      );
      return ground.start({ command: [...PLANNER, 'check', file] }).ended;
    };
    const inline = '{inline: {tools: {a: {cores: 4}}}}';
    const sha256 = createHash('sha256').update(rulesOf(3)).digest('hex');
    expect(
      await check(`[{url: "${web.url('/rules.yml')}", sha256: "${sha256}"}, ${inline}]`),
    ).toMatchObject({ code: 0, output: expect.stringContaining('rules: 2 tools, 1 destinations') });
    expect(await check(`["${web.url('/none.yml')}"]`)).toMatchObject({
      code: 1,
      output:
        `${web.url('/none.yml')}:1:1: ${web.url('/none.yml')} cannot be fetched: 127.0.0.1 ` +
        'answered with HTTP status 404\ncheck failed\n',
    });
    expect(await check('[{inline: {tools: {a: {cores: 4 +}}}}]')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/site\.yml:1:\d+: not Python/),
    });
  } finally {
    await ground.close();
  }
});
