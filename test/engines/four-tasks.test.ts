import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { fetchPart, fetchResult } from '../../src/cli/conversation.ts';
import { s3Client, type S3Account } from '../../src/storage/s3.ts';
import { startS3 } from '../harness/s3.ts';
import type { WholeService } from '../harness/whole-service.ts';
import { startEngineService } from './engine-service.ts';
import { FOUR_ENGINES, type FourEngine, type Started } from './four-engines.ts';
import { FOUR_TASKS, type Form, type FourTask, type Left } from './four-tasks.ts';
import { leftOf, machineSettings } from './leftovers.ts';
import { withEngine } from './summary.ts';
import { startSwift, swiftMissing } from './swift.ts';

let s3: { readonly account: S3Account; readonly close: () => Promise<void> };
beforeAll(async () => {
  s3 =
    swiftMissing() === undefined
      ? await startSwift('data', 'managed')
      : await startS3('data', 'managed');
  await s3Client(s3.account).send(
    new PutObjectCommand({ Bucket: 'data', Key: 'stars.txt', Body: 'Vega Altair Deneb\n' }),
  );
});
afterAll(() => s3?.close());

const OF_ELSEWHERE = ['executable', 'jupyter-notebook'] as const;

function fourTasks(engine: FourEngine): void {
  const jobs: string[] = [];
  let before: ReturnType<typeof machineSettings>;
  let started: Started | undefined;
  let service: WholeService | undefined;
  const close = async (): Promise<void> => {
    await service?.close();
    service = undefined;
    await started?.close();
  };
  beforeAll(async () => {
    before = machineSettings();
    started = await engine.start();
    const { destination, fetch, jobsDirectory, plugins } = started;
    service = await startEngineService({ ...destination, 'task-types': engine.forms }, s3.account, {
      fetch,
      jobsDirectory,
      plugins,
    });
  });
  afterAll(close, 120_000);

  const documentOf = (task: FourTask, form: Form): object =>
    task.forms[form]?.({
      image: started?.image,
      bucket: { endpoint: s3.account.endpoint, bucket: 'data' },
    }) ?? {};

  const isRefused = (task: FourTask, form: Form): void =>
    test(`${task.name}: not executed there, and the answer says so`, async () => {
      expect(await service?.ask(documentOf(task, form))).toMatch(
        /result: ["']?NO[^]*code: task-type-not-here/,
      );
    });

  const isExecuted = (task: FourTask, form: Form): void =>
    test(`${task.name} (${form}): ${task.ends}, from the question to the results`, async () => {
      if (service === undefined) throw new Error('no service');
      const { job, last, summary, answer } = await service.run(documentOf(task, form));
      jobs.push(job.split('/').at(-1) ?? '');
      const said = last === 'COMPLETED' ? '' : await fetchPart(job, 'error');
      expect([last, said]).toEqual([task.ends, expect.stringMatching(task.error ?? /^$/)]);
      for (const [id, pattern] of Object.entries(leftBy(task, form))) {
        expect(summary).toContain(`id="${id}"`);
        expect(await fetchResult(job, id)).toMatch(pattern);
      }
      expect(await storedText(task, answer)).toBe(task.stored?.text);
    });

  for (const task of FOUR_TASKS) {
    const form = engine.forms.find((one) => task.forms[one] !== undefined);
    const other = OF_ELSEWHERE.find((one) => task.forms[one] !== undefined);
    if (form !== undefined) isExecuted(task, form);
    else if (other !== undefined) isRefused(task, other);
  }

  test('everything that was started is gone, and the settings of the machine are as before', async () => {
    const { folders = [], marks = [] } = started ?? {};
    await close();
    expect(leftOf(folders, [...marks, ...jobs])).toEqual([]);
    expect(machineSettings()).toEqual(before);
  });
}

/** A notebook that was not stopped also leaves itself and its page. */
function leftBy({ left, ends, isOfSeveral }: FourTask, form: Form): Left {
  return form === 'jupyter-notebook' && ends !== 'ABORTED' && isOfSeveral === undefined
    ? { ...left, html: /<html[^]*<\/html>/, notebook: /"nbformat": 4/ }
    : left;
}

/** The stored text of the answer's persistent volume. */
async function storedText({ stored }: FourTask, answer: string): Promise<string | undefined> {
  const object = /objectid: (\S+)/.exec(answer)?.[1];
  if (stored === undefined) return undefined;
  const { Body } = await s3Client(s3.account).send(
    new GetObjectCommand({ Bucket: 'managed', Key: `kept/${object}/${stored.file}` }),
  );
  return Body?.transformToString();
}

for (const engine of FOUR_ENGINES)
  withEngine(`the four tasks, ${engine.name}`, engine.missing(), () => fourTasks(engine));
