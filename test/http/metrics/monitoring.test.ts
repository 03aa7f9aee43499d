import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { alertQueries, dashboard, dashboardQueries, metricsIn } from './monitoring-files.ts';

/** A test of the documents' commands compares this list with a running service. */
const known = new Set(
  [
    ...readFileSync(
      new URL('../../../docs/reference/metrics.md', import.meta.url),
      'utf8',
    ).matchAll(/^# HELP (\w+)/gm),
  ].map(([, name = '']) => name),
);

test('dashboard and alert rules query metrics that exist', () => {
  const queries = [...dashboardQueries(), ...alertQueries()];
  expect(queries.length).toBeGreaterThan(40);
  const unknown = queries.flatMap(({ place, expr }) =>
    metricsIn(expr)
      .filter((name) => !known.has(name))
      .map((name) => `${place}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('each panel has a query, a number and a place of its own, and names no data source of ours', () => {
  const { panels } = Object(dashboard());
  const places = new Set<string>();
  for (const { id, type, targets, gridPos } of panels) {
    places.add(`${id}`).add(`at ${gridPos.x},${gridPos.y}`);
    expect(type === 'row' || targets.length > 0).toBe(true);
    for (const { datasource } of targets ?? [])
      expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
  }
  expect(places.size).toBe(panels.length * 2);
});
