import { describe, test } from '@jest/globals';
import type { Missing } from './packages.ts';

/**
 * Tests that need an engine. Where it cannot run they are skipped under a title that names it and why, and the run says so
 * on standard error in a line that begins with `engine not tested:`, which a summary finds.
 */
export const withEngine = (engine: string, missing: Missing, tests: () => void): void => {
  if (missing === undefined) {
    describe(engine, tests);
    return;
  }
  process.stderr.write(`engine not tested: ${engine}: ${missing}\n`);
  describe.skip(`${engine} cannot run here: ${missing}`, () => test('nothing was tried', () => undefined));
};
