import { globSync, readFileSync } from 'node:fs';
import config, { folders } from './jest.config.mjs';

/** Words of tests that do more here than in `npm test`: they need a program, or have more runs of a property. */
const MORE = /skipped without \$\{|\bneeds\(|withEngine\(|\bruns\(|_RUNS\b/;

/** Folders of tests whose programs run in a sandbox, if the machine has one: it has now. */
const enclosing = ['runners', 'sandbox'];

/** What `npm test` leaves out, wholly or in parts: the rest of it just ran, in a check that runs both. */
function left() {
  return globSync('test/**/*.test.ts', { cwd: import.meta.dirname })
    .filter(
      (file) =>
        file.endsWith('.long.test.ts') ||
        [...folders, ...enclosing].some((folder) => file.startsWith(`test/${folder}/`)) ||
        MORE.test(readFileSync(new URL(file, import.meta.url), 'utf8')),
    )
    .map((file) => `<rootDir>/${file}`);
}

/**
 * `npm run test:engines`: everything, with the engines that are here or that Debian has, and with longer properties.
 * TEST_LEFT=1: only what `npm test` leaves out.
 */
export default {
  ...config,
  ...(process.env['TEST_LEFT'] === '1' && { testMatch: left() }),
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/bench/'],
  reporters: ['default', '<rootDir>/test/harness/jest/skipped.mjs', '<rootDir>/test/harness/jest/failed.mjs'],
  globalSetup: '<rootDir>/test/harness/jest/start-engines.mjs',
};
