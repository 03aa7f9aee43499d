import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseQueue } from '../../../src/runners/slurm/cli.ts';
import { startRounds } from '../../../src/runners/slurm/rounds.ts';
import { batchScript, nodeScript, parseNodeStatus } from '../../../src/runners/slurm/script.ts';
import { slurmPhaseOf } from '../../../src/runners/slurm/states.ts';
import { directoryOf } from '../../../src/runners/process/directory.ts';
import { newJob, workload } from '../workloads.ts';

/** squeue(1) and slurm.h: JOB STATE CODES and flags. */
const STATES =
  `BOOT_FAIL CANCELLED COMPLETED CONFIGURING COMPLETING DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PENDING PREEMPTED RUNNING RESV_DEL_HOLD REQUEUE_FED
  REQUEUE_HOLD REQUEUED RESIZING REVOKED SIGNALING SPECIAL_EXIT STAGE_OUT STOPPED SUSPENDED TIMEOUT`.split(
    /\s+/,
  );

describe('states of Slurm', () => {
  test('all have a meaning, with what sacct and slurmrestd write behind them', () => {
    expect(STATES.filter((state) => slurmPhaseOf(state) === undefined)).toEqual([]);
    expect([
      slurmPhaseOf('CANCELLED by 0'),
      slurmPhaseOf('CANCELLED+'),
      slurmPhaseOf('RUNNING,POWER_UP_NODE'),
    ]).toEqual(['cancelled', 'cancelled', 'running']);
  });

  test('of a version to come have none', () => expect(slurmPhaseOf('DREAMING')).toBeUndefined());
});

describe('the answer of squeue', () => {
  test('is read line by line, and what is no job of ours is passed over', () => {
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

describe('what a node wrote', () => {
  test('counts when its line is whole, and the first word stays', () => {
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

  test('is one that a shell can read, whatever the client wrote', () => {
    const { limits } = workload({ type: 'executable', command: ['true'], environment: {} });
    const text = nodeScript({
      place,
      command: ["it's", '$(id)', '`id`', 'two\nlines', '"'],
      environment: { A: "';exit 1;'" },
      limits,
    });
    expect(execFileSync('sh', ['-n'], { input: text, encoding: 'utf8' })).toBe('');
  });

  test('as Slurm gets it has two lines, and only our path in it', () => {
    expect(batchScript(place)).toBe(
      `#!/bin/sh\nexec /bin/sh '/srv/jobs of '\\''ours'\\''/${place.job}/job.sh'\n`,
    );
  });
});

describe('rounds', () => {
  test('are one at a time, and whoever waits gets one that began after it asked', async () => {
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
