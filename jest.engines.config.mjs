import config from './jest.config.mjs';

/** `npm run test:engines`: everything, with the engines that are here or that Debian has, and with longer properties. */
export default {
  ...config,
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/bench/'],
  reporters: ['default', '<rootDir>/test/harness/jest/skipped.mjs'],
  globalSetup: '<rootDir>/test/harness/jest/start-engines.mjs',
};
