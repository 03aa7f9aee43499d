/** Jest in ESM mode on the sources themselves; one throw-away PostgreSQL for the run, one database per test file. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/test/bench/'],
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/test/harness/strip-types.cjs' },
  globalSetup: '<rootDir>/test/harness/start.mjs',
  globalTeardown: '<rootDir>/test/harness/stop.mjs',
  // One on each core: much of the time of a test is waiting for the processes it started.
  maxWorkers: '100%',
  testTimeout: 60_000,
};
