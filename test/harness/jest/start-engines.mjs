import start from './start.mjs';

/**
 * The start of `npm run test:engines`: installs missing packages before any test looks for them;
 * see test/engines/packages.ts.
 */
export default async function startEngines() {
  const { installEngines } = await import('../../engines/packages.ts');
  installEngines((line) => process.stderr.write(`${line}\n`));
  process.env['TEST_RUNS'] ??= '3';
  await start();
}
