import { availableParallelism } from 'node:os';

/** Folders of `test` whose tests start engines, browsers or faults: they belong to `npm run test:engines`. */
export const folders = ['browser', 'chaos', 'clients', 'console/browser', 'engines'];

/**
 * `npm test`: Jest in ESM mode on the sources themselves; one throw-away PostgreSQL for the run, one database per test file.
 * It runs what needs nothing but npm. What takes long is called `*.long.test.ts`; `npm run test:engines` runs that, too.
 */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/bench/', `<rootDir>/test/(${folders.join('|')})/`, '\\.long\\.test\\.ts$'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/harness/jest/strip-types.cjs' },
  reporters: ['default', ['<rootDir>/test/harness/jest/skipped.mjs', { folders, rest: 'npm run test:engines (as root it installs engines from Debian and names them)' }], '<rootDir>/test/harness/jest/failed.mjs'],
  globalSetup: '<rootDir>/test/harness/jest/start.mjs',
  globalTeardown: '<rootDir>/test/harness/jest/stop.mjs',
  // Three on two cores: a quarter of the time of one on each was waiting for the processes that tests start.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Only ends what hangs: a test that counts on being fast fails on a busy machine.
  testTimeout: 600_000,
};
