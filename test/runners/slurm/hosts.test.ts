import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { parallelLines } from '../../../src/runners/batch/hosts.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { newJob } from '../workloads.ts';
import { mebibytes, millicores } from '../../../src/words/units.ts';

const root = mkdtempSync(join(tmpdir(), 'planner-hosts-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const parallel = {
  hosts: "printf 'n1\\nn2\\n'",
  given: [],
  report: { variable: 'REPORT', script: () => '' },
};

test.each([
  [400, 1],
  [1500, 1],
  [2000, 2],
  [3999, 3],
])('a node with %d millicores has room for %d ranks in the host file', (cores, slots) => {
  const place = directoryOf(root, newJob());
  mkdirSync(place.task, { recursive: true });
  const machine = { cores: millicores(cores), memory: mebibytes(256) };
  const { lines } = parallelLines({ parallel }, [machine, machine], place);
  execFileSync('/bin/sh', { input: lines.join('\n') });
  expect(readFileSync(join(place.task, 'hosts'), 'utf8')).toBe(
    `n1 slots=${slots}\nn2 slots=${slots}\n`,
  );
});
