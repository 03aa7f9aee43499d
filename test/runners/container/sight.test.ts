import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { EngineRefusal } from '../../../src/runners/container/api/client.ts';
import { noteEnd } from '../../../src/runners/container/end.ts';
import { nextTicket, noteStart, sight } from '../../../src/runners/container/tickets.ts';
import { directoryAt, type JobDirectory } from '../../../src/runners/run/directory.ts';
import { newJob, removeRoot, temporaryRoot } from '../workloads.ts';

const RUNS = { Id: 'one', State: { Status: 'running' } };

/** What happens after a question, and what the engine answers. */
type Turn = { readonly meanwhile?: () => Promise<unknown>; readonly has?: object };

describe('an engine without the container of a run', () => {
  const root = temporaryRoot();
  afterAll(() => removeRoot(root));

  const prepared = (): JobDirectory => {
    const job = newJob();
    const place = directoryAt(join(root, job), job);
    mkdirSync(place.task, { recursive: true });
    return place;
  };

  const seen = async (place: JobDirectory, ...turns: readonly Turn[]) => {
    const left = [...turns];
    const call = async (): Promise<object> => {
      const { meanwhile, has } = left.shift() ?? {};
      await meanwhile?.();
      if (has === undefined) throw new EngineRefusal(404, 'no such container');
      return has;
    };
    return sight({ call, open: () => Promise.reject(new Error('not asked')) }, place);
  };

  test('has none yet, when nobody was going to start one', async () => {
    expect(await seen(prepared(), {})).toEqual({ phase: 'none' });
  });

  test('has lost it, when it was to be started before', async () => {
    const place = prepared();
    await noteStart(place, 1, 'one');
    expect(await seen(place, {}, {})).toEqual({ phase: 'removed' });
  });

  test('had one that ended, though somebody went on with another ticket', async () => {
    const place = prepared();
    await noteStart(place, 1, 'one');
    await nextTicket(place, 1);
    await noteEnd(place, { exit: 0, isOutOfMemory: false, isWhole: true });
    expect(await seen(place, {})).toEqual({ phase: 'removed' });
    const made = { Id: 'two', State: { Status: 'created' } };
    expect(await seen(place, { has: made })).toEqual({ phase: 'removed' });
  });

  test('has not lost what another executor makes while it is asked', async () => {
    const place = prepared();
    const meanwhile = () => noteStart(place, 1, 'one');
    expect(await seen(place, { meanwhile }, { has: RUNS })).toMatchObject({ phase: 'running' });
  });

  test('has not lost it while another executor replaces it', async () => {
    const place = prepared();
    await noteStart(place, 1, 'one');
    const meanwhile = () => nextTicket(place, 1);
    expect(await seen(place, {}, { meanwhile })).toEqual({ phase: 'none' });
  });
});
