import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  combinedReports,
  parseReport,
  type MachineReports,
} from '../../../src/runners/batch/machines.ts';
import { reportScript } from '../../../src/runners/slurm/report.ts';

const root = mkdtempSync(join(tmpdir(), "machine's report "));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const [groups, own] = [join(root, 'groups'), join(root, 'own')];
const reports = join(root, 'machine-');

describe('what a node reports of a step', () => {
  beforeEach(() => {
    rmSync(groups, { recursive: true, force: true });
    rmSync(`${reports}1`, { force: true });
  });
  /** Runs the program of a node that has these files of cgroups. */
  const report = (
    lines: readonly string[],
    files: Readonly<Record<string, string>>,
    node = 'n9',
  ): void => {
    writeFileSync(own, lines.map((line) => `${line}\n`).join(''));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(groups, path)), { recursive: true });
      writeFileSync(join(groups, path), text);
    }
    execFileSync('/bin/sh', {
      input: reportScript(reports, { groups, own }),
      env: { MACHINE_HOSTS: '0=n10,1=n9', SLURMD_NODENAME: node },
    });
  };

  test('is counted by cgroup2', () => {
    const job = 'system.slice/slurmstepd.scope/job_7';
    report([`0::/${job}/step_0/slurm`], {
      [`${job}/memory.peak`]: '1048576\n',
      [`${job}/step_0/cpu.stat`]: 'usage_usec 2500\nuser_usec 2000\n',
      [`${job}/step_0/memory.events`]: 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n',
    });
    expect(readFileSync(`${reports}1`, 'utf8')).toBe('step_0 1048576 2500000 2\n');
  });

  test('is counted by the controllers of the first cgroups', () => {
    const step = 'slurm_n9/uid_1/job_7/step_batch';
    report([`4:memory:/${step}/task_0`, '2:cpuacct:/', '0::/'], {
      [`memory/${dirname(step)}/memory.max_usage_in_bytes`]: '1048576\n',
      [`cpuacct/${step}/cpuacct.usage`]: '2500\n',
      [`memory/${step}/memory.oom_control`]: 'under_oom 0\noom_kill 0\n',
      [`memory/${step}/task_0/memory.oom_control`]: 'under_oom 0\noom_kill 1\n',
      [`memory/${step}/task_1/memory.oom_control`]: 'under_oom 0\noom_kill 1\n',
    });
    expect(readFileSync(`${reports}1`, 'utf8')).toBe('step_batch 1048576 2500 2\n');
  });

  test('says what an old kernel cannot count', () => {
    report(['0::/job_7/step_0/user/task_0'], {});
    expect(readFileSync(`${reports}1`, 'utf8')).toBe('step_0 - - 0\n');
  });

  test('is nothing outside of steps, and on a node that is none of the machines', () => {
    report(['0::/user.slice'], {});
    report(['0::/job_7/step_0/slurm'], {}, 'n1');
    expect(() => readFileSync(`${reports}1`)).toThrow('ENOENT');
  });
});

describe('the reports of all machines', () => {
  const MIB = 2 ** 20;
  const parse = (texts: readonly string[]): MachineReports =>
    combinedReports(texts.map(parseReport));

  test('add up: the most memory of each, and the time of each step', () => {
    expect(
      parse([
        `step_0 ${MIB} 1000000000 0\nstep_0 ${2 * MIB} 1500000000 0\nno line\nstep_batch ${MIB} 500000000 0\n`,
        `step_0 ${4 * MIB} 3000000000 0\nstep_1 ${3 * MIB} 1000000000 0\n`,
      ]),
    ).toEqual({ usage: { processorS: 6, memoryMib: 6 }, isOutOfMemory: false });
  });

  test('say nothing of an amount that one machine did not count', () => {
    expect(parse([`step_batch ${MIB} 1000000000 0\n`, 'step_0 - 1000000000 1\n'])).toEqual({
      usage: { processorS: 2 },
      isOutOfMemory: true,
    });
  });

  test('are no usage if a machine told nothing, since its processes may have used much', () => {
    for (const nothing of ['', 'no line\n'])
      expect(parse([`step_batch ${MIB} 1000000000 1\n`, nothing])).toEqual({
        usage: undefined,
        isOutOfMemory: true,
      });
  });

  test('are no usage if one is longer than anybody reads', () => {
    const strange = `step_0 1 1 1\n${'x'.repeat(MIB)}`;
    expect(parse([`step_batch ${MIB} 1000000000 0\n`, strange])).toEqual({
      usage: undefined,
      isOutOfMemory: true,
    });
  });

  test('are no usage without the last one, of the script of the job', () => {
    const step = `step_0 ${MIB} 1000000000 0\n`;
    expect(parse([step, step])).toEqual({ usage: undefined, isOutOfMemory: false });
  });
});
