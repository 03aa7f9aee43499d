import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Unreachable, type Result } from '../../clients/typescript/src/index.ts';
import { loses, refuses, scripted, type Step } from './scripted.ts';
import { stopClock, timeOf } from './time.ts';

const BYTES = Uint8Array.from({ length: 40 }, (_, at) => at * 6);
const JOB = {
  jobId: '7',
  phase: 'COMPLETED',
  results: [
    { id: 'table', href: 'https://x.example.org/', size: BYTES.length, mimeType: 'text/csv' },
    { id: 'nothing', href: 'https://x.example.org/', size: 0, mimeType: 'text/plain' },
  ],
};
const hasJob: Step = () => Response.json(JOB);

beforeEach(stopClock);
afterEach(() => {
  jest.useRealTimers();
});

/** Answers a Range with at most so many bytes, and then ends or is lost. */
function gives(most: number, then: 'ends' | 'lost' = 'ends', takesRange = true): Step {
  return (request) => {
    const [, from = '0'] = /^bytes=(\d+)-$/.exec(request.headers.get('range') ?? '') ?? [];
    const begin = takesRange ? Number(from) : 0;
    const body = new ReadableStream({
      pull: (controller) => {
        if (most > 0) controller.enqueue(BYTES.slice(begin, begin + most));
        if (then === 'ends') controller.close();
        else setImmediate(() => controller.error(new TypeError('terminated')));
        return new Promise(() => {});
      },
    });
    const headers = { 'Content-Range': `bytes ${begin}-${BYTES.length - 1}/${BYTES.length}` };
    return takesRange ? new Response(body, { status: 206, headers }) : new Response(body);
  };
}

async function resultOf(steps: readonly Step[], name = 'table') {
  const { planner, requests } = scripted([hasJob, ...steps]);
  const result = (await planner.job('7').results()).get(name);
  if (result === undefined) throw new Error(`there is no ${name}`);
  return { result, requests };
}

async function read(result: Result, from = 0): Promise<Uint8Array> {
  const reading = new Response(result.stream(from)).bytes();
  await timeOf(reading);
  return reading;
}

describe('a result', () => {
  test.each(['ends', 'lost'] as const)('is whole, wherever its connection %s', async (how) => {
    for (let place = 0; place <= BYTES.length; place += 1) {
      const { result } = await resultOf([gives(place, how), gives(BYTES.length)]);
      expect([place, await read(result)]).toEqual([place, BYTES]);
    }
  });

  test('is whole behind a proxy that knows no parts', async () => {
    const { result } = await resultOf([gives(7, 'lost', false), gives(40, 'ends', false)]);
    expect(await read(result)).toEqual(BYTES);
  });

  test('goes on where its reader has it, and empty is not asked for', async () => {
    const { result, requests } = await resultOf([gives(40)]);
    expect(await read(result, 30)).toEqual(BYTES.subarray(30));
    expect(requests.at(-1)?.headers.get('range')).toBe('bytes=30-');
    const empty = await resultOf([], 'nothing');
    expect(await empty.result.text()).toBe('');
    expect(empty.requests).toHaveLength(1);
  });

  test('is an answer of HTTP with its type and size, from the address of the service', async () => {
    const { result, requests } = await resultOf([gives(40)]);
    const response = result.response();
    expect([response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
      'text/csv',
      '40',
    ]);
    expect((await response.blob()).size).toBe(40);
    expect(requests.at(-1)?.url).toBe('https://planner.example.org/below/jobs/7/results/table');
  });

  test('that is refused, or comes from another place, is an error at once', async () => {
    const { result } = await resultOf([refuses(403)]);
    await expect(result.text()).rejects.toMatchObject({ status: 403 });
    const headers = { 'Content-Range': 'bytes 9-39/40' };
    const other = await resultOf([() => new Response('x', { status: 206, headers })]);
    await expect(other.result.text()).rejects.toMatchObject({ code: 'other-part' });
  });

  test('is none when what comes is longer, as a page of a proxy', async () => {
    const { result } = await resultOf([() => new Response('<html>'.repeat(9))]);
    await expect(result.text()).rejects.toMatchObject({ code: 'result-size', status: 200 });
  });

  test('is given up after five tries without a byte', async () => {
    const { result, requests } = await resultOf([gives(3), loses]);
    const reading = result.text().catch((error: unknown) => error);
    await timeOf(reading);
    expect(await reading).toBeInstanceOf(Unreachable);
    expect(requests).toHaveLength(2 + 5);
  });
});
