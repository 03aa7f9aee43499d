import { expect, test } from '@jest/globals';
import { helmChart } from '../../src/tasks/helm-chart.ts';

const POLICY = { allowHosts: [], fileRoots: ['/lent'] };
function parse(spec: unknown) {
  return helmChart.parse(spec, POLICY);
}

test('a chart is a URL, and values that are merged over its own', () => {
  expect(parse({ chart: 'https://example.org/c-1.0.0.tgz' })).toEqual({
    ok: true,
    task: {
      type: 'helm-chart',
      chart: { kind: 'url', url: 'https://example.org/c-1.0.0.tgz' },
      values: {},
    },
  });
  expect(parse({ chart: 'file:///lent/c.tgz', values: { a: { b: [1] } } })).toMatchObject({
    ok: true,
    task: { values: { a: { b: [1] } } },
  });
});

test.each([
  [{}, 'chart', 'task-spec-invalid'],
  [{ chart: 'photometry' }, 'chart', 'url-invalid'],
  [{ chart: 'oci://ghcr.io/ivoa/chart' }, 'chart', 'url-forbidden'],
  [{ chart: 'http://127.0.0.1/c.tgz' }, 'chart', 'url-forbidden'],
  [{ chart: 'file:///etc/c.tgz' }, 'chart', 'url-forbidden'],
  [{ chart: 'https://example.org/c.tgz', values: [] }, 'values', 'task-spec-invalid'],
  [
    { chart: 'https://example.org/c.tgz', values: { a: 'x'.repeat(200_001) } },
    'values',
    'task-spec-invalid',
  ],
  [{ chart: 'https://example.org/c.tgz', version: '1' }, 'version', 'task-spec-unknown-key'],
])('%j is refused at %s', (spec, at, code) => {
  expect(parse(spec)).toMatchObject({ ok: false, problems: [{ at, code }] });
});
