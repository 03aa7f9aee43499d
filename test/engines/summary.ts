import { describe, test } from '@jest/globals';
import type { Missing } from './packages.ts';

/**
 * Tests that need an engine. Where it cannot run there is a title in their place that names it and why, which Jest counts
 * as `todo`, and the run says so on standard error in a line that begins with `engine not tested:`.
 */
export const withEngine = (engine: string, missing: Missing, tests: () => void): void =>
  // The title is the caller's.
  describe(`${engine}`, () => {
    if (missing === undefined) {
      tests();
      return;
    }
    process.stderr.write(`engine not tested: ${engine}: ${missing}\n`);
    test.todo(`${engine} cannot run here: ${missing}`);
  });
