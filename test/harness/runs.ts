/**
 * How often a property is tested: as often as its test says, times `TEST_RUNS`. `npm run
 * test:engines` sets that to 3.
 */
export function runs(usual: number): number {
  return usual * Number(process.env['TEST_RUNS'] ?? 1);
}
