/**
 * Is a version at most another one, by its numbers? `7.21` has all of 7.21: what it does not say is
 * as high as need be.
 */
export function isCoveredByNumbers(version: string, most: string): boolean {
  const [asked, has] = [numbersOf(version), numbersOf(most)];
  const at = asked.findIndex((number, index) => number !== (has[index] ?? number));
  return at === -1 || (asked[at] ?? 0) < (has[at] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  return version.replace(/^v/, '').split('.').map(Number);
}
