import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchPart } from '../../src/cli/conversation.ts';
import type { TestSite } from '../harness/site.ts';
import { openGround, PLANNER, type Ground, type ServiceProcess } from './service-process.ts';
import {
  offerFor,
  openProgramHost,
  startJob,
  untilPhase,
  writeWorkerSite,
  type ProgramHost,
} from './worker-site.ts';

describe('a backup', () => {
  let ground: Ground;
  let host: ProgramHost;
  let site: TestSite;
  let first: ServiceProcess;
  let file = '';

  beforeAll(async () => {
    [ground, host] = [await openGround(), await openProgramHost()];
    site = await writeWorkerSite(host);
    file = join(ground.folder, 'backup.tar.gz');
    first = ground.start({ environment: { SITE_FILE: site.siteFile } });
  });
  afterAll(async () => {
    await ground.close();
    host.close();
    await site.remove();
  });

  const planner = (
    words: readonly [string, ...string[]],
    environment: Readonly<Record<string, string>> = {},
  ) =>
    ground.start({
      command: [...PLANNER, ...words],
      environment: { SITE_FILE: site.siteFile, ...environment },
    }).ended;

  test('of a running service restores results, offers and jobs into an empty folder', async () => {
    const url = await first.ready();
    const done = await startJob(url, host.url('echo kept > file.txt; : > empty'));
    await untilPhase(done, 'COMPLETED');
    const running = await startJob(url, host.url('while [ ! -e go ]; do sleep 0.1; done'));
    await untilPhase(running, 'EXECUTING');
    const open = await offerFor(url, host.url('true'));

    expect(await planner(['backup', file])).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${file}: the database and 4 results\n`),
    });
    expect(await planner(['backup', file])).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${file} is there already: remove it, or name another file`),
    });

    const data = join(ground.folder, 'restored');
    expect(await planner(['restore', file], { DATA_DIR: data })).toMatchObject({
      code: 0,
      output: expect.stringContaining('with 4 results; 1 jobs that ran then'),
    });
    expect(await planner(['restore', file], { DATA_DIR: data })).toMatchObject({
      code: 1,
      output: expect.stringContaining('has files; give an empty folder'),
    });
    // Without a sandbox, jobs as other users could read them.
    const { mode } = await stat(join(data, 'jobs', done.replace(/.*\//, '')));
    expect(mode & 0o077).toBe(0);

    const second = ground.start({ environment: { SITE_FILE: site.siteFile, DATA_DIR: data } });
    const restored = await second.ready();
    const there = (job: string): string => job.replace(url, restored);
    expect(await fetchPart(there(done), 'results/file.txt')).toBe('kept\n');
    expect(await fetchPart(there(done), 'results')).toContain('id="empty"');
    expect(await fetchPart(there(running), 'phase')).toBe('ERROR');
    expect(await fetchPart(there(running), 'error')).toContain('restored from a backup');
    expect(await (await fetch(there(open.href))).text()).toContain('status: OFFERED');
    // The first service and its run are not touched.
    expect(await fetchPart(running, 'phase')).toBe('EXECUTING');
    const again = await startJob(restored, host.url('echo new'));
    await untilPhase(again, 'COMPLETED');
    expect(await (await fetch(`${restored}/metrics`)).text()).toContain(
      'planner_oversell_guard_trips 0\n',
    );
    await second.stop();
    await fetch(running, { method: 'DELETE' });
    await first.stop();
  });

  test('of a stopped service restores the same, and a file that is no backup is refused', async () => {
    const cold = join(ground.folder, 'cold.tar.gz');
    expect(await planner(['backup', cold])).toMatchObject({ code: 0 });
    const other = join(ground.folder, 'other');
    await mkdir(other);
    await writeFile(join(other, 'no.tar.gz'), 'no backup');
    expect(await planner(['restore', join(other, 'no.tar.gz')], { DATA_DIR: other })).toMatchObject(
      { code: 1 },
    );
    expect(existsSync(join(other, 'jobs'))).toBe(false);
  });

  test('that was cut is refused, and the whole one is restored into the same folder', async () => {
    const data = join(ground.folder, 'again');
    const cut = join(ground.folder, 'cut.tar.gz');
    const whole = await readFile(file);
    await writeFile(cut, whole.subarray(0, whole.length - 200));
    expect(await planner(['restore', cut], { DATA_DIR: data })).toMatchObject({
      code: 1,
      output: expect.stringMatching(/cut\.tar\.gz ends too early: it is not a whole backup\n$/),
    });
    expect(await planner(['restore', file], { DATA_DIR: data })).toMatchObject({ code: 0 });
  });

  test('is not made of a folder without a database, which stays as it is', async () => {
    const data = join(ground.folder, 'mistyped');
    expect(await planner(['backup', `${data}.tar.gz`], { DATA_DIR: data })).toMatchObject({
      code: 1,
      output: expect.stringContaining(`DATA_DIR ${data} has no database; is DATA_DIR right?`),
    });
    const file = join(ground.folder, 'none.tar.gz');
    expect(await planner(['restore', file], { DATA_DIR: data })).toMatchObject({
      code: 1,
      output: expect.stringContaining(`there is no file ${file}`),
    });
    expect(existsSync(data)).toBe(false);
  });
});
