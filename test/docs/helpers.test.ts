import { expect, test } from '@jest/globals';
import { map } from '../../src/vortex/index.ts';
import { jobOf, rulesOf, surroundings } from '../vortex/job.ts';
import { readMarkdown, sectionOf } from './sources/markdown.ts';

const JOB = jobOf(
  { id: 'x', version: '1.0', requirements: [] },
  { inputs: [{ name: 'reads', sizeBytes: 1024 ** 3 }] },
);

/** The text of an expression in a tool's rank function, where all inputs of helpers exist. */
function textOf(expression: string): string {
  const rules = rulesOf(`tools:
  x:
    rank: |
      from galaxy.jobs.mapper import JobMappingException
      dataset = helpers.get_input_dataset(job, 'reads')
      def told(text):
          raise JobMappingException(text)
      told(str(${expression}))
destinations:
  d: { runner: r }
`);
  const decision = map(rules, JOB, surroundings);
  return decision.kind === 'fail' ? decision.message : JSON.stringify(decision);
}

test('docs/reference/python.md names every helper and no other, each called as it is shown', async () => {
  const section = sectionOf(await readMarkdown('docs/reference/python.md'), '### Helpers');
  const shown = [...section.matchAll(/^\| `(helpers\.[^`]+)`/gm)].map(([, call = '']) => call);
  const versions = ['lt', 'lte', 'gt', 'gte'].map(
    (name) => `helpers.tool_version_${name}(tool, '2.0')`,
  );
  const calls = [...shown, ...versions];
  const names = textOf("' '.join(name for name in dir(helpers) if not name.startswith('_'))").split(
    ' ',
  );
  expect(calls.map((call) => call.replace(/^helpers\.(\w+).*/, '$1')).toSorted()).toEqual(
    names.toSorted(),
  );
  const failed = calls.filter((call) => textOf(call).includes('"kind":"error"'));
  expect(failed).toEqual([]);
});
