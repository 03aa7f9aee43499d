import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openLoans } from '../../../src/runners/process/start/loans.ts';
import { tidy, type Standing } from '../../../src/runners/process/tidy.ts';
import { newJob } from '../workloads.ts';

describe('what executors leave when they die between two steps', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tidy-test-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const draftOf = async (
    attempt: number,
  ): Promise<{ job: string; holder: string; exists: () => boolean }> => {
    const job = newJob();
    const holder = `${job}.${attempt}.0123abcd`;
    const path = join(root, '.drafts', holder);
    mkdirSync(join(path, 'work'), { recursive: true });
    writeFileSync(join(path, 'work/file'), 'x');
    await openLoans(join(root, '.uids')).take({ thing: `${61_000 + attempt}`, holder, note: '' });
    await openLoans(join(root, '.devices')).take({
      thing: `device${attempt}`,
      holder,
      note: 'podman',
    });
    return { job, holder, exists: () => existsSync(path) };
  };
  const tidied = (standings: Readonly<Record<string, Standing>>) =>
    tidy(root, async (runs) => runs.map((run) => standings[run]));
  const lent = (folder: string): readonly string[] => readdirSync(join(root, folder)).sort();

  test('is removed: drafts whose run is gone, with their loans; others stay', async () => {
    const [earlier, over, current, foreign] = [
      await draftOf(1),
      await draftOf(2),
      await draftOf(3),
      await draftOf(4),
    ];
    await tidied({ [earlier.job]: 2, [over.job]: 'over', [current.job]: 3 });
    expect([earlier, over, current, foreign].map(({ exists }) => exists())).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect([lent('.uids'), lent('.devices'), lent('.drafts')]).toEqual([
      ['61003', '61004'],
      ['device3', 'device4'],
      [current.holder, foreign.holder].sort(),
    ]);
  });

  test('is removed: half-made loans and loans of removed drafts; engines say when their loans end', async () => {
    const { job, holder } = await draftOf(1);
    rmSync(join(root, '.drafts', holder), { recursive: true });
    mkdirSync(join(root, '.uids', `.62673.${holder}`));
    await tidied({ [job]: 1 });
    expect([lent('.uids'), lent('.devices')]).toEqual([[], ['device1']]);
  });

  test('is left alone while another executor removes it', async () => {
    const gone = join(root, '.drafts/.gone-1');
    mkdirSync(gone, { recursive: true });
    utimesSync(gone, 0, 0);
    await tidied({});
    expect(existsSync(gone)).toBe(true);
  });
});
