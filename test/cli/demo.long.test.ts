import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  openGround,
  PLANNER,
  until,
  type Ground,
  type Options,
  type ServiceProcess,
} from './service-process.ts';

// Its five steps may take more than five seconds if twenty programs use the processors.

/** The texts in this order, with anything in between. */
function inOrder(texts: readonly string[]): RegExp {
  return new RegExp(
    texts
      .map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
      .join(String.raw`[\s\S]*?`),
  );
}

const PHASES = ['QUEUED', 'EXECUTING', 'COMPLETED'];

describe('npm run demo', () => {
  let ground: Ground;
  let started: ServiceProcess[];
  beforeEach(async () => {
    ground = await openGround();
    started = [];
  });
  afterEach(async () => {
    // A test that timed out shows the output of its demonstration.
    const unfinished = started.filter((one) => one.isRunning()).map((one) => one.output());
    await ground.close();
    if (unfinished.length > 0)
      throw new Error(`a demonstration did not end:\n${unfinished.join('\n')}`);
  });

  const start = (
    command: Options['command'] = [...PLANNER, 'demo'],
    environment: Options['environment'] = {},
  ): ServiceProcess => {
    const one = ground.start({ command, environment });
    started.push(one);
    return one;
  };

  test('shows the question, the answer, each phase and the result, and exits 0 with nothing left', async () => {
    const { code, output } = await start(['npm', 'run', 'demo']).ended;
    expect(output).toMatch(
      inOrder([
        'POST http://127.0.0.1:',
        'task-type/jupyter-notebook',
        "result: 'YES'",
        'status: OFFERED',
        'status: ACCEPTED',
        'The offer is now ACCEPTED.',
        's  COMPLETED',
        '/results/notebook',
        'The square root of 2 is 1.414213562373095',
        "result: 'NO'",
        'code: module-missing',
        'NO: no Python here has numpy. `planner setup notebooks`',
        'Done.',
      ]),
    );
    // UWS shows the current phase, so a client may miss a short one.
    const seen = [...output.matchAll(/^ +[\d.]+ s {2}(\w+)$/gm)].map(([, phase = '']) => phase);
    expect(seen).toEqual(PHASES.filter((phase) => seen.includes(phase)));
    expect(code).toBe(0);
    expect(ground.processes()).toEqual([]);
  });

  test('does the same again on the same data directory', async () => {
    const done = { code: 0, signal: null, output: expect.stringContaining('Done.') };
    expect(await start().ended).toEqual(done);
    expect(await start().ended).toEqual(done);
  });

  test('shuts down in order on Ctrl-C', async () => {
    const demo = start();
    await demo.said("result: 'YES'");
    demo.killGroup('SIGINT');
    const { code, signal, output } = await demo.ended;
    // No crash; stacks in lines of the log do not count.
    expect(output).not.toMatch(/^ {4}at /m);
    expect({ code, signal, output }).toEqual({ code: 1, signal: null, output });
    await until('all are gone', () => ground.processes().length === 0 || undefined);
  });

  test('ends at the second signal while its start hangs, but not at the second of a pair', async () => {
    const PLUGINS_DIR = join(ground.folder, 'plugins');
    await mkdir(join(PLUGINS_DIR, 'endless'), { recursive: true });
    await writeFile(
      join(PLUGINS_DIR, 'endless/plugin.mjs'),
      "console.log('it hangs'); setInterval(() => undefined, 1000); await new Promise(() => undefined);",
    );
    const stuck = start(undefined, { PLUGINS_DIR });
    await stuck.said('it hangs');
    stuck.kill('SIGINT');
    stuck.kill('SIGINT');
    await delay(1500);
    expect(stuck.isRunning()).toBe(true);
    stuck.kill('SIGINT');
    expect(await stuck.ended).toMatchObject({
      code: 1,
      output: expect.stringContaining('SIGINT came again before the start was over'),
    });
    expect(ground.processes()).toEqual([]);
  });

  test('shuts down in order when nobody reads its output', async () => {
    const demo = start();
    await demo.said('starting the service');
    demo.hangUp();
    expect(await demo.ended).toMatchObject({ code: 0, signal: null });
    expect(ground.processes()).toEqual([]);
  });
});
