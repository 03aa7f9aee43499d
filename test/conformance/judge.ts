import { judgeCommand } from './cli-case.ts';
import { judgeDump } from './dump-case.ts';
import type { Folder, RecordedCase } from './folder.ts';
import { judgeDraw, judgeHelper } from './helper-case.ts';
import { MapJudge } from './map-case.ts';
import { judgeTags, judgeTagValidation } from './tags-case.ts';

/** A case or trace, and the difference of our answer from the recorded one, if any. */
export type Result = {
  readonly id: string;
  readonly kind: string;
  readonly difference: string | undefined;
};

type Judge = (one: RecordedCase) => string | undefined | Promise<string | undefined>;

/**
 * Judges every case of a folder, then every trace. A case that makes the runner throw has failed.
 */
export async function judgeFolder(folder: Folder): Promise<readonly Result[]> {
  const maps = new MapJudge(folder);
  const judges = new Map<string, Judge>([
    ['map', (one) => maps.judge(one)],
    ['tags', judgeTags],
    ['tags-validate', judgeTagValidation],
    ['helper', judgeHelper],
    ['helper-rng', judgeDraw],
    ['dump', (one) => judgeDump(folder, one)],
    ['cli', (one) => judgeCommand(folder, one)],
  ]);
  const results: Result[] = [];
  for (const one of folder.cases) {
    const judge =
      judges.get(one.kind) ?? (() => `there is nothing that judges cases of kind '${one.kind}'`);
    results.push({ id: one.id, kind: one.kind, difference: await judged(one, judge) });
  }
  const cases = new Map(folder.cases.map((one) => [one.id, one]));
  for (const [id, trace] of folder.traces) {
    const one = cases.get(id);
    const judge: Judge = (found) => maps.judgeTrace(found, trace);
    results.push({
      id,
      kind: 'trace',
      difference: one === undefined ? 'there is no case of this id' : await judged(one, judge),
    });
  }
  return results;
}

async function judged(one: RecordedCase, judge: Judge): Promise<string | undefined> {
  try {
    return await judge(one);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}
