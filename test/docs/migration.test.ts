import { describe, expect, test } from '@jest/globals';
import { jobOf, rulesOf, surroundings } from '../vortex/job.ts';
import { map } from '../../src/vortex/index.ts';
import { readMarkdown } from './sources/markdown.ts';

const page = await readMarkdown('docs/guides/migration.md');

/**
 * The rows of tables whose first column is an expression: the expression and its documented result.
 */
const rows = [...page.text.matchAll(/^\| expression .*\n\|[-|]+\n((?:\|.*\n)+)/gm)].flatMap(
  ([, body = '']) =>
    [...body.matchAll(/^\| `(.+?)` \| .+ \| `(.+?)` \|$/gm)].map(
      ([, expression = '', outcome = '']) => [expression, outcome] as const,
    ),
);

/**
 * The result of an expression in a rule after its imports: its text, or the class of its exception.
 */
function outcomeOf(expression: string): string {
  const statements = expression.split('; ');
  const value = statements.at(-1)?.startsWith('import ') === true ? 'None' : statements.pop();
  const code = [...statements, `raise JobMappingException(repr(${value}))`]
    .map((line) => `        ${line}`)
    .join('\n');
  const rules = rulesOf(`tools:
  x:
    rules:
    - if: true
      execute: |
        from galaxy.jobs.mapper import JobMappingException
${code}
destinations:
  d: { runner: r }
`);
  const decision = map(rules, jobOf('x'), surroundings);
  if (decision.kind === 'fail') return decision.message;
  return decision.kind === 'error' ? decision.className : decision.kind;
}

describe('docs/guides/migration.md', () => {
  test.each(rows)('%s comes to %s in a rule', (expression, outcome) => {
    expect(outcomeOf(expression)).toBe(outcome);
  });

  test('is read with all its tables of expressions', () => {
    expect(rows.length).toBe(
      page.text
        .split('\n')
        .filter((line) => /^\| `.*` \| .+ \| `.+` \|$/.test(line) && !line.includes('planner'))
        .length,
    );
    expect(rows.length).toBeGreaterThan(10);
  });
});
