import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson, writeJson, writeJsonOnce } from '../../../src/runners/run/directory.ts';
import { prepareHost, resolveProgram } from '../../../src/runners/process/start/host.ts';
import { draftRoot } from '../../../src/runners/run/draft.ts';
import { jobUsers } from '../../../src/runners/process/start/job-users.ts';
import { diskUse, mimeTypeOf, resultId, workResults } from '../../../src/runners/run/results.ts';
import { launchScript } from '../../../src/runners/process/start/script.ts';
import { mebibytes, millicores, seconds } from '../../../src/words/units.ts';
import { canMount, openSmallDisc } from '../../places/small-disc.ts';
import { asRoot, newJob } from '../workloads.ts';

const root = mkdtempSync(join(tmpdir(), 'files-test-'));
afterAll(() => rmSync(root, { recursive: true }));
const urls = { allowHosts: [], fileRoots: [] };

describe('results', () => {
  test('have ids that a URL carries as they are, each once', () => {
    const taken = new Set(['stdout']);
    const paths = [
      'a.txt',
      'b/c d.txt',
      'b/c_d.txt',
      'stdout',
      'ä',
      '..',
      'x?y#z',
      `${'n'.repeat(300)}.fits`,
    ];
    const ids = paths.map((path) => resultId(path, taken));
    expect(ids.slice(0, 7)).toEqual([
      'a.txt',
      'b_c_d.txt',
      'b_c_d.txt-2',
      'stdout-2',
      '_',
      '_-2',
      'x_y_z',
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(encodeURIComponent(id)).toBe(id);
  });

  test('are at most a thousand regular files, and no links', async () => {
    const work = join(root, 'results/work');
    mkdirSync(join(work, 'sub'), { recursive: true });
    symlinkSync('/etc', join(work, 'etc'));
    symlinkSync('/etc/passwd', join(work, 'passwd'));
    for (let index = 0; index < 1005; index += 1) writeFileSync(join(work, 'sub', `f${index}`), '');
    const results = await workResults({ root: join(root, 'results'), work }, undefined, new Set());
    expect(results).toHaveLength(1000);
    expect(results.every(({ path }) => path.startsWith('work/sub/f'))).toBe(true);
    expect(await workResults({ root: join(root, 'results'), work }, 61_999, new Set())).toEqual([]);
  });

  test('have types from their names', () => {
    expect(mimeTypeOf('a/IMAGE.FITS')).toBe('application/fits');
    expect(mimeTypeOf('catalogue.vot')).toBe('application/x-votable+xml');
    expect(mimeTypeOf('Makefile')).toBe('application/octet-stream');
  });
});

describe('disk use', () => {
  test('counts the space that is really taken, also by empty files, and stops at the limit', async () => {
    const place = join(root, 'use');
    mkdirSync(place);
    writeFileSync(join(place, 'sparse'), '');
    truncateSync(join(place, 'sparse'), 10 ** 9);
    expect(await diskUse([place], Infinity)).toBeLessThan(20_000);
    writeFileSync(join(place, 'full'), 'x'.repeat(100_000));
    linkSync(join(place, 'full'), join(place, 'again'));
    expect(await diskUse([place], Infinity)).toBeGreaterThan(100_000);
    for (let index = 0; index < 500; index += 1) writeFileSync(join(place, `empty${index}`), '');
    expect(await diskUse([place], Infinity)).toBeGreaterThan(100_000 + 500 * 256);
    expect(await diskUse([place, join(place, 'missing')], 1)).toBeGreaterThan(1);
  });
});

describe('the launch script', () => {
  test('passes every word as it is', async () => {
    const words = [
      "it's",
      '$(touch pwned)',
      '`touch pwned`',
      '"',
      '\\',
      ' ',
      '\n',
      '',
      '*',
      '; touch pwned',
      "'\\''",
      '-n',
      'ü',
    ];
    const limits = {
      cores: millicores(1000),
      memory: mebibytes(100),
      scratch: mebibytes(10),
      wallTime: seconds(60),
    };
    const script = launchScript({
      job: newJob(),
      started: join(root, 'started'),
      command: ['/usr/bin/printf', '%s\\0', ...words],
      environment: { A: "x'y\n$(touch pwned)" },
      limits,
      uid: undefined,
      tasks: 10,
      reserve: { memory: 64, cpu: 0 },
      isolation: [],
      sandbox: [],
      cgroup: undefined,
    });
    writeFileSync(join(root, 'job.sh'), script);
    // Started like by the runner, as the leader of a group, which it kills together with itself.
    execFileSync('/bin/sh', ['-c', 'setsid -w /bin/sh job.sh 3>status >out; :'], {
      cwd: root,
      stdio: 'ignore',
    });
    expect((await readFile(join(root, 'out'), 'utf8')).split('\0').slice(0, -1)).toEqual(words);
    expect(await readFile(join(root, 'status'), 'utf8')).toMatch(
      /^start \d+ \d+ [0-9a-f-]{36}\n(?:\d+m[\d.]+s \d+m[\d.]+s\n){2}exit 0\n$/,
    );
    expect(readdirSync(root)).not.toContain('pwned');
  });
});

describe('files of the service', () => {
  test('are read whole or not at all, and the first writer of a decision wins', async () => {
    const path = join(root, 'decision.json');
    expect(await readJson(path)).toBeUndefined();
    await Promise.all([1, 2, 3, 4].map(async (value) => writeJsonOnce(path, value)));
    const first = await readJson(path);
    await writeJsonOnce(path, 'late');
    expect(await readJson(path)).toBe(first);
    await writeJson(path, 'replaced');
    expect(await readJson(path)).toBe('replaced');
    writeFileSync(path, '{');
    expect(await readJson(path)).toBeUndefined();
    expect(readdirSync(root).filter((name) => name.startsWith('decision.json.'))).toEqual([]);
  });
});

(canMount ? describe : describe.skip)('a full disc', () => {
  test('leaves nothing of tries to write a file', async () => {
    const disc = openSmallDisc('64k');
    if (disc === undefined) throw new Error('no disc');
    try {
      const filler = join(disc.folder, 'filler');
      expect(() => writeFileSync(filler, Buffer.alloc(2 ** 20))).toThrow('ENOSPC');
      const path = join(disc.folder, 'outcome.json');
      await expect(writeJsonOnce(path, {})).rejects.toThrow('ENOSPC');
      await expect(writeJson(path, {})).rejects.toThrow('ENOSPC');
      expect(readdirSync(disc.folder)).toEqual(['filler']);
      rmSync(filler);
      await writeJsonOnce(path, { done: true });
      expect(await readJson(path)).toEqual({ done: true });
    } finally {
      disc.remove();
    }
  });
});

describe('users of jobs', () => {
  const range = { first: 65_532, last: 65_535 };
  /** A draft of a new job, which exists as long as its directory. */
  const newHolder = (jobsRoot: string) => {
    const job = newJob();
    const holder = `${job}.1.x`;
    mkdirSync(draftRoot(jobsRoot, holder), { recursive: true });
    return { job, holder };
  };

  test('are lent to one job at a time, and only that job returns its user', async () => {
    const jobsRoot = join(root, 'lending');
    const users = jobUsers(jobsRoot, join(jobsRoot, 'uids'), range);
    const jobs = [1, 2, 3, 4].map(() => newHolder(jobsRoot));
    const noted: number[] = [];
    const lent = await Promise.all(
      jobs.map(async ({ holder }) => users.lend(holder, async (uid) => void noted.push(uid))),
    );
    const uids = lent.filter((uid) => uid !== undefined);
    expect(uids.toSorted((a, b) => a - b)).toEqual([65_532, 65_533, 65_535]);
    expect(noted).not.toContain(65_534);
    const [first = 0] = uids;
    const [owner, other] = [jobs[lent.indexOf(first)], jobs[lent.indexOf(undefined)]];
    if (owner === undefined || other === undefined)
      throw new Error('three of four jobs have a user');
    await users.giveBack(other.job, { uid: first, holder: other.holder });
    expect(await users.lend(other.holder, async () => {})).toBeUndefined();
    await users.giveBack(owner.job, { uid: first, holder: owner.holder });
    expect(await users.lend(other.holder, async () => {})).toBe(first);
    // The previous holder, which was stopped until now.
    await users.giveBack(owner.job, { uid: first, holder: owner.holder });
    expect(existsSync(users.proof({ uid: first, holder: other.holder }))).toBe(true);
  });

  test('of a deleted draft are lent to others', async () => {
    const jobsRoot = join(root, 'forgotten');
    const users = jobUsers(jobsRoot, join(jobsRoot, 'uids'), range);
    const jobs = [1, 2, 3, 4].map(() => newHolder(jobsRoot));
    for (const { holder } of jobs.slice(0, 3))
      expect(await users.lend(holder, async () => {})).toBeDefined();
    const [gone, , , late] = jobs;
    if (gone === undefined || late === undefined) throw new Error('there are four');
    rmSync(draftRoot(jobsRoot, gone.holder), { recursive: true });
    expect(await users.lend(late.holder, async () => {})).toBeDefined();
  });

  test('that the version before lent stay lent until their jobs return them', async () => {
    const jobsRoot = join(root, 'before');
    const [old, job] = [newJob(), newHolder(jobsRoot)];
    mkdirSync(join(jobsRoot, 'uids'), { recursive: true });
    writeFileSync(join(jobsRoot, 'uids/65532'), old);
    const users = jobUsers(jobsRoot, join(jobsRoot, 'uids'), { first: 65_532, last: 65_532 });
    expect(await users.lend(job.holder, async () => {})).toBeUndefined();
    await users.giveBack(old, { uid: 65_532, holder: undefined });
    expect(await users.lend(job.holder, async () => {})).toBe(65_532);
  });
});

describe('the machine', () => {
  test('finds programs as execvp finds them', () => {
    expect(resolveProgram('sh', root)).toMatch(/\/sh$/);
    expect(resolveProgram('/bin/sh', root)).toBe('/bin/sh');
    expect(resolveProgram('no-such-program', root)).toBeUndefined();
    expect(resolveProgram('/etc', root)).toBeUndefined();
    expect(resolveProgram('', root)).toBeUndefined();
  });

  test('is checked when the service starts: settings that cannot work are refused', () => {
    expect(() => prepareHost({ jobsRoot: 'jobs', urls })).toThrow(
      'the directory of jobs must be an absolute path, not jobs',
    );
    const uids = { first: 5, last: 4 };
    expect(() => prepareHost({ jobsRoot: join(root, 'j'), urls, uids })).toThrow(
      asRoot ? 'not a range of user ids: 5-4' : 'only root',
    );
    expect(prepareHost({ jobsRoot: join(root, 'j'), urls, uids: 'service' }).users).toBeUndefined();
  });
});
