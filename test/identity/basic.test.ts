import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { hashPassword, printHash } from '../../src/identity/basic/hash.ts';
import type { Doorkeeper } from '../../src/identity/identify.ts';
import { movableClock, openFor, outcome } from './identify.ts';

/** A cheap hash keeps a test of many passwords short; each line of the file has its cost. */
const CHEAP = { n: 1024, r: 8, p: 1 };
async function lineOf(user: string, password: string, roles = ''): Promise<string> {
  return `${user}:${printHash(await hashPassword(password, CHEAP))}:${roles}`;
}
function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

let folder: string;
let file: string;
let doorkeeper: Doorkeeper;
let clock: ReturnType<typeof movableClock>;
let ada: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planner-passwords-'));
  file = join(folder, 'users');
  ada = await lineOf('ada@example.org', 'correct horse: é', 'survey,urn:role:ops');
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  await writeFile(file, `# users of the old clients\n\n${ada}\n`);
  clock = movableClock();
  doorkeeper = await openFor(
    { anonymous: true, basic: file, administrators: ['urn:role:ops'] },
    clock.now,
  );
});

describe('a password', () => {
  test('of the file identifies its user, with the roles of its line, as a token does', async () => {
    const user = {
      kind: 'user',
      owner: 'user:ada@example.org',
      user: 'ada@example.org',
      roles: ['survey', 'urn:role:ops'],
      administrator: true,
    };
    expect(await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'))).toEqual(user);
    expect(
      await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'.normalize('NFD'))),
    ).toEqual(user);
  });

  test.each([
    ['that is wrong', basic('ada@example.org', 'wrong')],
    ['that is empty', basic('ada@example.org', '')],
    ['of a user who is not there', basic('bob@example.org', 'correct horse: é')],
    ['of nobody', basic('', 'correct horse: é')],
    ['without a colon', `Basic ${Buffer.from('ada@example.org').toString('base64')}`],
    ['that is not base64', 'Basic ada:secret'],
    ['that is not UTF-8', `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`],
    ['that is the line of the file', basic('ada@example.org', 'scrypt,1024,8,1')],
  ])('%s is 401 with a challenge for each scheme, never anonymous', async (_, header) => {
    expect(await outcome(doorkeeper, header)).toMatchObject({
      status: 401,
      code: 'credential-invalid',
      challenges: [
        expect.stringContaining('Bearer realm="planner", error="invalid_token"'),
        'Basic realm="planner", charset="UTF-8"',
      ],
    });
  });

  test('is refused where the site has no password file', async () => {
    const answer = await outcome(await openFor({ anonymous: true }), basic('ada@example.org', 'x'));
    expect(answer).toMatchObject({
      status: 401,
      challenges: [expect.not.stringContaining('Basic')],
    });
  });

  test('of an unknown user takes as long to refuse as a wrong one', async () => {
    // Processor time, because clock time includes the work of other processes.
    // The least of three, because what else this process has to do comes into some of them.
    const took = async (user: string): Promise<number> => {
      const times: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const opened = await openFor({ basic: file });
        const begun = process.cpuUsage();
        await outcome(opened, basic(user, 'wrong'));
        times.push(process.cpuUsage(begun).user);
      }
      return Math.min(...times);
    };
    await writeFile(file, `ada@example.org:${printHash(await hashPassword('right'))}:\n`);
    const [known, unknown] = [await took('ada@example.org'), await took('nobody@example.org')];
    expect(unknown).toBeGreaterThan(known / 4);
  });

  test('guessed twenty times from an address is 429 there, not elsewhere', async () => {
    for (let n = 0; n < 20; n += 1)
      expect(
        await outcome(doorkeeper, basic('ada@example.org', `guess ${n}`), '192.0.2.9'),
      ).toMatchObject({ status: 401 });
    expect(await outcome(doorkeeper, basic('ada@example.org', 'guess'), '192.0.2.9')).toMatchObject(
      { status: 429, code: 'too-many-failures', retryAfter: expect.any(String) },
    );
    expect(
      await outcome(doorkeeper, basic('ada@example.org', 'guess'), '192.0.2.10'),
    ).toMatchObject({ status: 401 });
    clock.forward(60);
    expect(await outcome(doorkeeper, basic('ada@example.org', 'guess'), '192.0.2.9')).toMatchObject(
      { status: 401 },
    );
  });

  test('is not told from wrong ones where too many were guessed, though its user was here just now', async () => {
    const right = basic('ada@example.org', 'correct horse: é');
    for (let n = 0; n < 20; n += 1)
      await outcome(doorkeeper, basic('ada@example.org', `guess ${n}`), '192.0.2.9');
    expect(await outcome(doorkeeper, right, '192.0.2.10')).toMatchObject({ kind: 'user' });
    expect(await outcome(doorkeeper, right, '192.0.2.9')).toMatchObject({ status: 429 });
    clock.forward(60);
    expect(await outcome(doorkeeper, right, '192.0.2.9')).toMatchObject({ kind: 'user' });
  });

  test('that is wrong locks nobody out for longer when the clock of the machine is put back', async () => {
    for (let n = 0; n < 20; n += 1)
      await outcome(doorkeeper, basic('ada@example.org', `guess ${n}`), '192.0.2.9');
    clock.forward(-3600);
    await outcome(doorkeeper, basic('ada@example.org', 'guess'), '192.0.2.9');
    clock.forward(60);
    expect(
      await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'), '192.0.2.9'),
    ).toMatchObject({ kind: 'user' });
  });

  test('guessed for one user locks out nobody else behind the same address', async () => {
    for (let n = 0; n < 25; n += 1)
      await outcome(doorkeeper, basic('bob@example.org', `guess ${n}`), '192.0.2.9');
    expect(await outcome(doorkeeper, basic('bob@example.org', 'guess'), '192.0.2.9')).toMatchObject(
      { status: 429 },
    );
    expect(
      await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'), '192.0.2.9'),
    ).toMatchObject({ kind: 'user' });
  });

  test('guessed from one address does not fill the queue of others', async () => {
    const guesses = Array.from({ length: 40 }, (_, n) =>
      outcome(doorkeeper, basic(`user${n}@example.org`, 'guess'), '192.0.2.9'),
    );
    const right = outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'), '192.0.2.10');
    expect(await right).toMatchObject({ kind: 'user' });
    expect(
      (await Promise.all(guesses)).filter((answer) => 'status' in answer && answer.status === 401),
    ).toHaveLength(4);
  });

  test('guessed from many addresses of one IPv6 network is 429 for that network', async () => {
    for (let n = 1; n <= 20; n += 1)
      await outcome(doorkeeper, basic('ada@example.org', `guess ${n}`), `2001:db8::${n}`);
    expect(
      await outcome(doorkeeper, basic('ada@example.org', 'guess'), '2001:db8::ffff'),
    ).toMatchObject({ status: 429 });
    expect(
      await outcome(doorkeeper, basic('ada@example.org', 'guess'), '2001:db8:0:1::1'),
    ).toMatchObject({ status: 401 });
  });

  test('is checked for a few at once; a client that would wait too long gets an answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        outcome(doorkeeper, basic('ada@example.org', `guess ${n}`), `192.0.2.${n}`),
      ),
    );
    const statuses = answers.map((answer) => ('status' in answer ? answer.status : 200));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });
});

describe('the password file', () => {
  test('causes a warning while everybody on the machine may read it', async () => {
    await chmod(file, 0o644);
    const open = await openFor({ anonymous: true, basic: file }, clock.now);
    expect(open.warnings()).toEqual([
      expect.stringContaining(`every user of this machine may read the password file ${file}`),
    ]);
    await chmod(file, 0o640);
    expect((await openFor({ anonymous: true, basic: file }, clock.now)).warnings()).toEqual([]);
  });

  test('is in use within a second after a change: new users come in, removed ones do not', async () => {
    expect(await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'))).toMatchObject({
      kind: 'user',
    });
    await writeFile(join(folder, 'next'), `${await lineOf('bob@example.org', 'battery staple')}\n`);
    await rename(join(folder, 'next'), file);
    clock.forward(1);
    expect(await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'))).toMatchObject({
      status: 401,
    });
    expect(await outcome(doorkeeper, basic('bob@example.org', 'battery staple'))).toMatchObject({
      kind: 'user',
      user: 'bob@example.org',
    });
  });

  test('is in use within a second, too, when the clock of the machine was put back', async () => {
    const right = basic('ada@example.org', 'correct horse: é');
    expect(await outcome(doorkeeper, right)).toMatchObject({ kind: 'user' });
    clock.forward(-3600);
    expect(await outcome(doorkeeper, right)).toMatchObject({ kind: 'user' });
    await writeFile(join(folder, 'next'), `${await lineOf('bob@example.org', 'battery staple')}\n`);
    await rename(join(folder, 'next'), file);
    clock.forward(1);
    expect(await outcome(doorkeeper, right)).toMatchObject({ status: 401 });
  });

  test('leaves the last good one in use when it becomes unusable, and the site says so', async () => {
    await writeFile(file, 'ada@example.org:correct horse\n');
    clock.forward(1);
    expect(await outcome(doorkeeper, basic('ada@example.org', 'correct horse: é'))).toMatchObject({
      kind: 'user',
    });
    expect(doorkeeper.problems()).toEqual([
      'the changed password file cannot be used; the version before it is in use',
    ]);
    await writeFile(file, `${ada}\n`);
    clock.forward(1);
    await outcome(doorkeeper, basic('ada@example.org', 'x'));
    expect(doorkeeper.problems()).toEqual([]);
  });

  test.each([
    ['a password in the clear', 'ada:secret-in-the-clear', ':2: the line must be user:scrypt'],
    ['an older kind of hash', 'ada:$apr1$x$y', ':2: the line must be user:scrypt'],
    [
      'a cost that is no cost',
      `ada:scrypt,1000,8,1:${'A'.repeat(22)}:${'A'.repeat(43)}:`,
      ':2: the line must be user:scrypt',
    ],
    [
      'a cost that no machine can pay',
      `ada:scrypt,16777216,8,1:${'A'.repeat(22)}:${'A'.repeat(43)}:`,
      ':2: the line must be user:scrypt',
    ],
    [
      'a salt that is too short',
      `ada:scrypt,16384,8,1:AA:${'A'.repeat(43)}:`,
      ':2: the line must be user:scrypt',
    ],
    [
      'a user with spaces',
      ` ada:scrypt,16384,8,1:${'A'.repeat(22)}:${'A'.repeat(43)}:`,
      ':2: the user must be text',
    ],
  ])(
    'with %s is refused at start with file and line, and without repeating the line',
    async (_, line, message) => {
      await writeFile(file, `# first\n${line}\n`);
      const refusal = await openFor({ basic: file }).then(
        () => '',
        (error: Error) => error.message,
      );
      expect(refusal).toContain(`${file}${message}`);
      expect(refusal).not.toContain('secret-in-the-clear');
    },
  );

  test('with a user twice, or missing, is refused', async () => {
    await writeFile(file, `${ada}\n${ada}\n`);
    await expect(openFor({ basic: file })).rejects.toThrow(
      `${file}:2: another line has this user already`,
    );
    await expect(openFor({ basic: join(folder, 'nothing') })).rejects.toThrow('ENOENT');
  });
});

describe('planner hash-password', () => {
  const run = (
    words: readonly string[],
    input: string,
  ): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const command = fileURLToPath(new URL('../../src/cli/planner.ts', import.meta.url));
      const child = execFile(
        process.execPath,
        ['--no-warnings', command, 'hash-password', ...words],
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
      child.stdin?.on('error', () => undefined).end(input);
    });

  test('prints a line that lets the user in, from a password on standard input', async () => {
    const { code, out } = await run(['eve@example.org', 'survey', 'ops'], 'a long password\n');
    expect(code).toBe(0);
    expect(out).toMatch(/^eve@example\.org:scrypt,16384,8,5:[\w-]+:[\w-]+:survey,ops\n$/);
    await writeFile(file, out);
    expect(
      await outcome(await openFor({ basic: file }), basic('eve@example.org', 'a long password')),
    ).toMatchObject({ roles: ['survey', 'ops'] });
  });

  test('refuses a password that is too short, and words that cannot be in the file', async () => {
    expect(await run(['eve'], 'short\n')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('8 characters'),
    });
    for (const user of ['eve:x', '#eve'])
      expect(await run([user], 'a long password\n')).toMatchObject({ code: 2, out: '' });
    expect(await run([], 'a long password\n')).toMatchObject({
      code: 2,
      err: expect.stringContaining('planner hash-password: give USER [ROLE...]'),
    });
  });
});
