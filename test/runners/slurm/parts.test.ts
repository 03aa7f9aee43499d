import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseQueue } from '../../../src/runners/slurm/cli.ts';
import { startRounds } from '../../../src/runners/batch/rounds.ts';
import { batchScript, nodeScript, parseNodeStatus } from '../../../src/runners/batch/script.ts';
import { slurmPhaseOf } from '../../../src/runners/slurm/states.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { newJob, workload } from '../workloads.ts';

/** squeue(1) and slurm.h: JOB STATE CODES and flags. */
const STATES = `
  BOOT_FAIL CANCELLED COMPLETED CONFIGURING COMPLETING DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY
  PENDING PREEMPTED RUNNING RESV_DEL_HOLD REQUEUE_FED REQUEUE_HOLD REQUEUED RESIZING REVOKED
  SIGNALING SPECIAL_EXIT STAGE_OUT STOPPED SUSPENDED TIMEOUT`
  .trim()
  .split(/\s+/);

describe('states of Slurm', () => {
  test('all have a meaning, with suffixes that sacct and slurmrestd write', () => {
    expect(STATES.filter((state) => slurmPhaseOf(state) === undefined)).toEqual([]);
    expect([
      slurmPhaseOf('CANCELLED by 0'),
      slurmPhaseOf('CANCELLED+'),
      slurmPhaseOf('RUNNING,POWER_UP_NODE'),
    ]).toEqual(['cancelled', 'cancelled', 'running']);
  });

  test('of a future version have none', () => expect(slurmPhaseOf('DREAMING')).toBeUndefined());
});

describe('the answer of squeue', () => {
  test('is read line by line, and lines of other jobs are ignored', () => {
    expect(
      parseQueue(
        '7|RUNNING|vo-a|None\n8_[1-3]|PENDING|array|Resources\nslurm: message\n9|PENDING|x|Reason | with a bar\n',
      ),
    ).toEqual([
      { id: 7, state: 'RUNNING', name: 'vo-a', reason: 'None' },
      { id: 9, state: 'PENDING', name: 'x', reason: 'Reason | with a bar' },
    ]);
  });
});

describe('the status file of a node', () => {
  test('counts line by line when a line is complete, and the first word stays', () => {
    expect(parseNodeStatus('start 12\nexit 3\nexit 0\n')).toEqual({
      began: 12,
      stopped: undefined,
      exit: 3,
    });
    expect(parseNodeStatus('start 12\nstopped wall-time\nexit 1')).toEqual({
      began: 12,
      stopped: 'wall-time',
      exit: undefined,
    });
    expect(parseNodeStatus('again 13\nexit x\n')).toEqual({
      began: undefined,
      stopped: undefined,
      exit: undefined,
    });
  });
});

describe('the script of a job', () => {
  const place = directoryOf("/srv/jobs of 'ours'", newJob());

  test('is valid for a shell, whatever the client wrote', () => {
    const { limits } = workload({ type: 'executable', command: ['true'], environment: {} });
    const text = nodeScript({
      place,
      command: ["it's", '$(id)', '`id`', 'two\nlines', '"'],
      environment: { A: "';exit 1;'" },
      limits,
      isCounted: true,
      system: { idVariable: 'SLURM_JOB_ID', given: [] },
    });
    expect(execFileSync('sh', ['-n'], { input: text, encoding: 'utf8' })).toBe('');
  });

  test('has two lines for the batch system, and only our path in it', () => {
    expect(batchScript(place)).toBe(
      `#!/bin/sh\nexec /bin/sh '/srv/jobs of '\\''ours'\\''/${place.job}/job.sh'\n`,
    );
  });
});

describe('rounds', () => {
  test('run one at a time, and a waiter gets one that started after it asked', async () => {
    const begun: number[] = [];
    let under = 0;
    const rounds = startRounds(
      async () => {
        begun.push((under += 1));
        await delay(20);
        under -= 1;
        return false;
      },
      () => true,
    );
    const first = rounds.next();
    const [second, third] = [rounds.next(), rounds.next()];
    await Promise.all([first, second, third]);
    expect(begun).toEqual([1, 1]);
    await rounds.close();
  });
});
