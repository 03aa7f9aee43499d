/**
 * How often a property is tried: as often as says its test, `TEST_RUNS` times as often where that
 * is set. `npm run test:engines` sets it to 5.
 */
export function runs(usual: number): number {
  return usual * Number(process.env['TEST_RUNS'] ?? 1);
}
