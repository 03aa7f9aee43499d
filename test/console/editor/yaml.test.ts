import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lineOf, linesOf, readYaml, writeYaml } from '../../../src/console/editor/yaml.ts';

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (document) => {
      const wire = JSON.parse(JSON.stringify(document));
      expect(readYaml(writeYaml(wire))).toEqual({ ok: true, value: wire });
    }),
  );
});

test('paths of refusals have lines, or the line of what is around them', () => {
  const lines = linesOf(
    `# an ask
task:
  type: x
resources:
  compute:
  - min-cores: 99
    min-memory: 1Foo
  - {min-cores: 2}
time: [{start: now}]
`,
  );
  expect(
    [
      'task.type',
      'resources.compute[0].min-memory',
      'resources.compute[1].min-cores',
      'time[0].start',
      'resources.compute[0].gpu.type',
      'costs[0]',
      '',
    ].map((path) => lineOf(lines, path)),
  ).toEqual([3, 7, 8, 9, 6, 1, 1]);
});

test('a text that is no YAML has a line', () => {
  expect(readYaml('task:\n  type: x\n  - y\n')).toMatchObject({ ok: false, line: 3 });
  expect(writeYaml({ source: 'import time\nprint(1)\n' })).toBe(
    'source: |\n  import time\n  print(1)\n',
  );
});
