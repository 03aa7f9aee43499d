import { describe, expect, test } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mainResult, shownResults } from '../../../src/uws/print/main-result.ts';
import { job } from '../clients/jobs.ts';
import { openWorker } from '../clients/worker.ts';
const NOTEBOOK = [
  result('notebook', 'application/x-ipynb+json'),
  result('html'),
  result('stdout'),
  result('stderr'),
];
const PROGRAM = [result('stdout'), result('stderr')];

/** The id of the main result. */
function mainOf(...results: readonly ReturnType<typeof result>[]): string | undefined {
  return mainResult(job({ state: 'COMPLETED', results }))?.path.slice('at/'.length);
}

function result(id: string, mimeType = 'application/octet-stream') {
  return { id, path: `at/${id}`, mimeType, size: 1 };
}

describe('the main result', () => {
  test('is the executed notebook, the only file of a program, or what it printed', () => {
    expect(mainOf(...NOTEBOOK)).toBe('notebook');
    expect(mainOf(...NOTEBOOK, result('table.csv'))).toBe('notebook');
    expect(mainOf(...PROGRAM, result('table.csv'))).toBe('table.csv');
    expect(mainOf(...PROGRAM)).toBe('stdout');
    expect(mainOf(...PROGRAM, result('a.csv'), result('b.csv'))).toBe('stdout');
    expect(mainOf()).toBeUndefined();
  });

  test('is the one that the task itself calls result, if there is one', () => {
    expect(mainOf(...PROGRAM, result('other.txt'), result('result.vot'))).toBe('result.vot');
    expect(mainOf(...NOTEBOOK, result('result.fits'))).toBe('result.fits');
    expect(mainOf(...PROGRAM, result('result.log'), result('result.vot'))).toBe('stdout');
    const own = job({
      state: 'COMPLETED',
      results: [...PROGRAM, result('result'), result('result.log')],
    });
    expect(shownResults(own)).toEqual(own.results);
  });

  test('of several machines is that of the first', () => {
    expect(
      mainOf(result('machine-0.stdout'), result('machine-0.stderr'), result('machine-1.stdout')),
    ).toBe('machine-0.stdout');
    expect(
      mainOf(result('machine-0.stdout'), result('machine-0.a.csv'), result('machine-1.result')),
    ).toBe('machine-0.a.csv');
    expect(mainOf(...PROGRAM, result('machine-0.stdout'), result('b'))).toBe('stdout');
  });

  test.each(['FAILED', 'CANCELLED', 'RUNNING'] as const)(
    'is there for a job that ended well, not for one that is %s',
    (state) => {
      expect(shownResults(job({ state, results: PROGRAM }))).toEqual(PROGRAM);
    },
  );

  test('stands first in every list of results, and its bytes are at /results/result and at its own id', async () => {
    const worker = await openWorker();
    const id = await worker.job();
    await mkdir(join(worker.resultsRoot, id));
    await writeFile(join(worker.resultsRoot, id, 'table.csv'), 'a,b\n');
    await worker.complete(id, [
      { id: 'table.csv', path: 'table.csv', mimeType: 'text/csv', size: 4 },
    ]);
    for (const document of [`/${id}`, `/${id}/results`]) {
      expect(
        [
          ...(await worker.ask(document)).text.matchAll(
            /<uws:result id="([^"]+)"[^>]* mime-type="text\/csv" size="4"/g,
          ),
        ].map(([, one]) => one),
      ).toEqual(['result', 'table.csv']);
    }
    for (const name of ['result', 'table.csv']) {
      const answer = await worker.ask(`/${id}/results/${name}`);
      expect([answer.status, answer.text, answer.headers.get('content-disposition')]).toEqual([
        200,
        'a,b\n',
        'attachment; filename="table.csv"',
      ]);
    }
    expect((await worker.ask(`/${await worker.job()}/results/result`)).text).toMatch(
      /^result-unknown: /,
    );
    await worker.close();
  });
});

describe('a resource that a job lacks is 404 in its own words', () => {
  test.each([
    ['error', 'no-error'],
    ['owner', 'no-owner'],
    ['parameters/none', 'parameter-unknown'],
    ['results/none', 'result-unknown'],
  ])('/%s is %s', async (child, code) => {
    const worker = await openWorker();
    const id = await worker.complete(await worker.job());
    const { status, text } = await worker.ask(`/${id}/${child}`);
    expect([status, text]).toEqual([
      404,
      expect.stringMatching(new RegExp(`^${code}: Job ${id} has no `)),
    ]);
    await worker.close();
  });
});
