import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openGround, PLANNER, until, type Ground } from './service-process.ts';

/** Every text, each after the one before. */
const inOrder = (output: string, texts: readonly string[]): readonly string[] => {
  let from = 0;
  return texts.filter((text) => {
    const at = output.indexOf(text, from);
    if (at >= 0) from = at + text.length;
    return at >= 0;
  });
};

describe('npm run demo', () => {
  let ground: Ground;
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.close());

  test('shows the question, the answer, the phases as they come and the result, and exits 0 with nothing left running', async () => {
    const { code, output } = await ground.start({ command: ['npm', 'run', 'demo'] }).ended;
    const story = [
      'POST http://127.0.0.1:', 'task-type/jupyter-notebook', "result: 'YES'", 'status: OFFERED', 'status: ACCEPTED', 'The offer is now ACCEPTED.',
      's  QUEUED', 's  EXECUTING', 's  COMPLETED', '/results/notebook', 'The square root of 2 is 1.414213562373095', 'Done.',
    ];
    expect(inOrder(output, story)).toEqual(story);
    expect(code).toBe(0);
    expect(ground.processes()).toEqual([]);
  });

  test('again on the same data directory it does the same', async () => {
    const first = await ground.start({ command: [...PLANNER, 'demo'] }).ended;
    const second = await ground.start({ command: [...PLANNER, 'demo'] }).ended;
    expect([first.code, second.code]).toEqual([0, 0]);
  });

  test('ends in order at Ctrl-C', async () => {
    const demo = ground.start({ command: [...PLANNER, 'demo'] });
    await until('it has its answer', () => demo.output().includes("result: 'YES'") || undefined);
    demo.killGroup('SIGINT');
    const { code, signal } = await demo.ended;
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    expect(demo.output()).not.toContain('    at ');
    await until('all are gone', () => ground.processes().length === 0 || undefined);
  });

  test('stops in order when nobody reads what it says', async () => {
    const demo = ground.start({ command: [...PLANNER, 'demo'] });
    await until('it begins', () => demo.output().includes('starting the service') || undefined);
    demo.hangUp();
    expect(await demo.ended).toMatchObject({ code: 0, signal: null });
    expect(ground.processes()).toEqual([]);
  });
});
