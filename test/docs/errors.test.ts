import { describe, expect, test } from '@jest/globals';
import { WORK_WORDS } from '../../src/console/words/work.ts';
import { JOB_ERRORS, MOST_WINDOWS, PROBLEMS, REFUSALS } from '../../src/words/catalogue.ts';
import { firstColumn, readMarkdown, sectionOf } from './sources/markdown.ts';

const page = await readMarkdown('docs/errors.md');

describe('docs/errors.md', () => {
  test.each([
    ['## Refusals', REFUSALS],
    ['## Problems', PROBLEMS],
    ['## Job errors', JOB_ERRORS],
  ] as const)(
    '%s describes every code of the catalogue once and no other',
    (heading, catalogue) => {
      expect(firstColumn(sectionOf(page, heading)).toSorted()).toEqual(
        Object.keys(catalogue).sort(),
      );
    },
  );

  test('and the console say what to do about every failed job', () => {
    const told = new Set(Object.keys(WORK_WORDS.job.help));
    expect(told).toEqual(new Set(Object.keys(JOB_ERRORS)));
  });

  test('has the limit of alternative times', () => {
    expect(sectionOf(page, '## Refusals')).toContain(
      `| \`too-many-times\` | The ask names more than ${MOST_WINDOWS} alternative times. |`,
    );
  });

  test('gives every problem the status that it is answered with', () => {
    const rows = sectionOf(page, '## Problems').matchAll(/^\| `([^`]+)` \| (\d{3}) \|/gm);
    const statuses = Object.fromEntries(
      [...rows].map(([, code, status]) => [code, Number(status)]),
    );
    expect(statuses).toEqual(
      Object.fromEntries(Object.entries(PROBLEMS).map(([code, [status]]) => [code, status])),
    );
  });
});
