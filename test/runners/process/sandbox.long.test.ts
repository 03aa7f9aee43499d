import { afterAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { hasEnvironment, readProcesses } from '../../../src/runners/process/supervise/processes.ts';
import {
  describeIsolation,
  isolationProblem,
  PLAIN,
} from '../../../src/runners/process/start/isolation.ts';
import { DEFAULT_PROCESS_SETTINGS } from '../../../src/runners/process/settings.ts';
import { processRunner } from '../../../src/runners/process-runner.ts';
import type { Workload } from '../../../src/runners/port.ts';
import { asRoot, removeRoot, run, shell, temporaryRoot, until, workload } from '../workloads.ts';
import { hasBubblewrap, isolations, rowsOf } from './isolations.ts';

const root = temporaryRoot();
const jobsRoot = join(root, 'jobs');
const urls = { allowHosts: [], fileRoots: [] };
function textOf({ job }: Workload, path = 'stdout') {
  return readFileSync(join(jobsRoot, job, path), 'utf8');
}
const sandboxed = isolations.filter(([, { sandbox }]) => sandbox === 'bubblewrap');
afterAll(() => removeRoot(root));

(hasBubblewrap ? describe : describe.skip)('where bubblewrap works', () => {
  describe.each(rowsOf(sandboxed))('a job in %s', (_name, isolation) => {
    const runner = processRunner({ jobsRoot, urls, isolation });
    afterAll(() => runner.close());

    test('can write only to its own directories', async () => {
      const work = shell(
        'for d in / /usr /etc /dev /opt /var /sys /proc/sys "$HOME/.."; do (echo x > ' +
          '$d/planner-test) 2>/dev/null && echo $d; done; touch "$HOME/a" "$TMPDIR/b" ' +
          '/tmp/c /dev/shm/d && echo own',
      );
      await run(runner, work);
      expect(textOf(work)).toBe('own\n');
      expect(existsSync('/usr/planner-test')).toBe(false);
    });

    test('has a /tmp of its own, and what it writes there counts', async () => {
      const here = `/tmp/planner-${work('').job}`;
      writeFileSync(here, 'of the machine');
      const reading = work(`cat ${here}; ls -A /tmp /var/tmp; echo x > ${here}-new`);
      await run(runner, reading);
      rmSync(here);
      expect(textOf(reading)).not.toContain('of the machine');
      expect(existsSync(`${here}-new`)).toBe(false);
      const filling = shell('head -c 30000000 /dev/zero > /tmp/x; sleep 300', { scratch: 20 });
      expect(await run(runner, filling)).toMatchObject({ kind: 'stopped', reason: 'output' });
    });

    test('sees no process of the machine, and no other job', async () => {
      const other = shell('echo mine > secret.txt; sleep 600');
      await runner.submit(other);
      await until(
        () => existsSync(join(jobsRoot, other.job, 'work/secret.txt')),
        'the other job wrote',
      );
      const work = shell(
        `ls ${jobsRoot}; cat ${join(jobsRoot, other.job, 'work/secret.txt')}; cat ` +
          '../job.json ../job.sh; for p in /proc/[0-9]*; do echo process; done; kill -9 -1',
      );
      await run(runner, work);
      const lines = textOf(work).split('\n');
      expect(lines.filter((line) => line !== 'process' && line !== '')).toEqual([work.job]);
      expect(lines.filter((line) => line === 'process').length).toBeLessThan(5);
      expect(await runner.look(other.job)).toEqual({ state: 'running' });
      await runner.stop(other.job, 'cancelled');
    });

    test('does not see keys and passwords of the machine, root or not', async () => {
      const work = shell(
        'ls /etc/shadow /etc/ssh /root /home /run /var/lib /boot 2>/dev/null; cat ' +
          '/etc/passwd > /dev/null && echo names',
      );
      await run(runner, work);
      expect(textOf(work)).toBe('names\n');
    });

    test('has no privileges, and can gain none', async () => {
      const work = shell(
        'grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status; unshare --user ' +
          '--map-root-user true && echo nested; mount -t tmpfs x /tmp && echo mounted',
      );
      await run(runner, work);
      expect(textOf(work).replaceAll(/\s+/g, ' ')).toBe(
        'CapEff: 0000000000000000 CapBnd: 0000000000000000 NoNewPrivs: 1 ',
      );
    });

    test('has a loopback of its own and no other network', async () => {
      const server = createServer((_request, response) => void response.end('of the machine'));
      await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;
      const asking = workload({
        type: 'executable',
        command: ['/bin/bash', '-c', `tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; ${ask}`],
        environment: {},
      });
      const outcome = await run(runner, asking);
      expect(textOf(asking)).toBe('lo\n');
      expect(outcome).toMatchObject({
        kind: 'failed',
        detail: expect.stringContaining('Connection refused'),
      });
      const granted = processRunner({
        jobsRoot,
        urls,
        isolation,
        terms: { ...DEFAULT_PROCESS_SETTINGS, network: 'host' },
      });
      const allowed = workload({
        type: 'executable',
        command: ['/bin/bash', '-c', ask],
        environment: {},
      });
      await run(granted, allowed);
      expect(textOf(allowed)).toContain('of the machine');
      await granted.close();
      server.close();
    });

    test('gets a signal to end before it is killed', async () => {
      const work = shell(`trap 'echo told; exit 0' TERM; echo begun; while :; do sleep 0.05; done`);
      await runner.submit(work);
      await until(() => textOf(work) === 'begun\n', 'it runs');
      await runner.stop(work.job, 'cancelled');
      expect(textOf(work)).toBe('begun\ntold\n');
      const long = shell(`trap 'echo told; exit 0' TERM; while :; do sleep 0.05; done`, {
        wallTime: 5,
      });
      await run(runner, long);
      expect(textOf(long)).toBe('told\n');
    });

    test('leaves no mount and no process behind', async () => {
      const work = shell('(setsid sleep 300 >/dev/null 2>&1 &); exit 0');
      expect(await run(runner, work)).toMatchObject({ kind: 'completed' });
      expect(
        readProcesses().filter(({ pid }) => hasEnvironment(pid, `PLANNER_JOB_ID=${work.job}`)),
      ).toEqual([]);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(work.job);
    });

    test('sees the folders that the site shows, and no others', async () => {
      const tools = join(root, 'tools');
      const hidden = join(root, 'hidden');
      for (const folder of [tools, hidden]) {
        mkdirSync(folder, { recursive: true });
        chmodSync(folder, 0o755);
        writeFileSync(join(folder, 'hello'), '#!/bin/sh\necho hello from the site\n', {
          mode: 0o755,
        });
      }
      rmSync(join(tools, 'out'), { force: true });
      symlinkSync(join(hidden, 'hello'), join(tools, 'out'));
      const showing = processRunner({
        jobsRoot,
        urls,
        isolation,
        terms: { ...DEFAULT_PROCESS_SETTINGS, paths: [tools] },
      });
      const own = (program: string) =>
        workload({ type: 'executable', command: [program], environment: {} });
      const hello = own(join(tools, 'hello'));
      await run(showing, hello);
      expect(textOf(hello)).toBe('hello from the site\n');
      for (const program of [join(hidden, 'hello'), join(tools, 'out')])
        expect(await run(showing, own(program))).toMatchObject({
          kind: 'failed',
          code: 'task-failed',
          message: `jobs of this site do not see the program ${program}`,
        });
      await showing.close();
    });

    test('runs the Python of a virtual environment at any path', async () => {
      const environment = join(root, 'venv');
      execFileSync('/usr/bin/python3', ['-m', 'venv', '--without-pip', environment]);
      execFileSync('chmod', ['-R', 'a+rX', environment]);
      const withPython = processRunner({
        jobsRoot,
        urls,
        isolation,
        python: join(environment, 'bin/python3'),
      });
      const work = workload({
        type: 'python-program',
        program: { kind: 'inline', text: 'import sys; print(sys.prefix, sys.argv[1])' },
        arguments: ['x'],
      });
      await run(withPython, work);
      expect(textOf(work)).toBe(`${environment} x\n`);
      await withPython.close();
    });
  });
});

(hasBubblewrap && asRoot ? describe : describe.skip)('where jobs run as root all the same', () => {
  test('a sandbox keeps jobs from the files of the service', async () => {
    const secret = join(root, 'secret.txt');
    writeFileSync(secret, 'of the service', { mode: 0o600 });
    const runner = processRunner({ jobsRoot: join(root, 'service'), urls, uids: 'service' });
    const reading = shell(`cat ${secret} /etc/shadow; id -u`);
    await run(runner, reading);
    expect(readFileSync(join(root, 'service', reading.job, 'stdout'), 'utf8')).toBe('0\n');
    expect(statSync(secret).size).toBe(14);
    await runner.close();
  });
});

function work(script: string): Workload {
  return shell(script);
}

describe('the site can see what confines its jobs', () => {
  test('by a name for each isolation', () => {
    expect(describeIsolation(PLAIN)).toBe('rlimits');
    expect(describeIsolation({ sandbox: 'bubblewrap', cgroups: undefined })).toBe(
      'bubblewrap + rlimits',
    );
    expect(
      describeIsolation({
        sandbox: 'bubblewrap',
        cgroups: { version: 2, memory: '/a', pids: '/a', cpu: '/a' },
      }),
    ).toBe('bubblewrap + cgroup v2');
    const runner = processRunner({ jobsRoot, urls, isolation: PLAIN });
    expect(runner.isolation).toBe('rlimits');
    void runner.close();
  });

  test('and a site that requires isolation does not start without', () => {
    expect(isolationProblem(PLAIN)).toMatch(
      /^the site requires isolation, and bubblewrap does not work here: .*; no cgroups can be made here/,
    );
    expect(() =>
      processRunner({
        jobsRoot,
        urls,
        isolation: PLAIN,
        terms: { ...DEFAULT_PROCESS_SETTINGS, isolation: 'required' },
      }),
    ).toThrow('the site requires isolation');
    const none = processRunner({
      jobsRoot,
      urls,
      terms: { ...DEFAULT_PROCESS_SETTINGS, isolation: 'none' },
    });
    expect(none.isolation).toBe('rlimits');
    void none.close();
  });
});

test('no directory of a job is left open to others', () => {
  for (const name of readdirSync(jobsRoot).filter((one) => !one.startsWith('.')))
    expect(statSync(join(jobsRoot, name)).mode & 0o777).toBe(0o700);
});
