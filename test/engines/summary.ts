import { beforeAll, describe, test } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import type { Missing } from './packages.ts';

/**
 * Tests that need an engine. Without it, a title with the reason replaces them, which Jest counts
 * as `todo`. The end of the run lists on standard error which engines ran, and which titles did
 * not.
 */
export function withEngine(engine: string, missing: Missing, tests: () => void): void {
  // The title is the caller's.
  describe(`${engine}`, () => {
    if (missing === undefined) {
      beforeAll(() => note(engine));
      tests();
    } else {
      test.todo(`cannot run here: ${missing}`);
    }
  });
}

/**
 * Notes an engine for the end of the run, which lists all engines together
 * (test/harness/jest/stop.mjs).
 */
function note(engine: string): void {
  const file = process.env['TEST_ENGINES'];
  if (file !== undefined) appendFileSync(file, `${engine}\n`);
}
