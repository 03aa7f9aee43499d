import { readFileSync } from 'node:fs';
import { jsonShape } from '../../../src/vortex/job-parse.ts';
import { compilePattern, PatternError } from '../../../src/vortex/file/pattern.ts';
import { bool, object, table, stringShape } from '../../../src/vortex/shape.ts';

/*
 * node read-patterns.ts FILE: compares keys with Python's reading in the answers of patterns.py:
 * how many agree, which do not, and how many only we refuse.
 */
const line = object({ pattern: stringShape }, { error: jsonShape, matches: table(bool) });

const failed: string[] = [];
let [passed, refused] = [0, 0];
for (const one of readFileSync(process.argv[2] ?? '', 'utf8')
  .split('\n')
  .filter(Boolean)) {
  const { pattern, matches } = line(JSON.parse(one), 'line');
  try {
    const compiled = compilePattern(pattern);
    const wrong = Object.entries(matches ?? {}).filter(
      ([given, expected]) => matchesAtStart(compiled, given) !== expected,
    );
    if (matches === undefined) failed.push(`${pattern}\n  compiled, which Python does not`);
    else if (wrong.length > 0)
      failed.push(`${pattern}\n  ${compiled.source} ${JSON.stringify(wrong)}`);
    else passed += 1;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    if (matches === undefined) passed += 1;
    else refused += 1;
  }
}
console.log(`${passed} passed, ${failed.length} failed, ${refused} refused here only`);
console.log(failed.join('\n'));

function matchesAtStart(compiled: RegExp, given: string): boolean {
  compiled.lastIndex = 0;
  return compiled.test(given);
}
