import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';

/** docs/examples/monitoring: what operators load into Prometheus and Grafana. */
export const MONITORING = fileURLToPath(
  new URL('../../../docs/examples/monitoring/', import.meta.url),
);

/** A query in PromQL, and where it stands. */
export type Query = { readonly place: string; readonly expr: string };

/** The queries of the dashboard, with its variables as they are when everything is chosen. */
export function dashboardQueries(): readonly Query[] {
  const found: Query[] = [];
  const collect = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { expr, title } = Object(value);
    const here = typeof title === 'string' ? title : place;
    if (typeof expr === 'string') found.push({ place: here, expr: withVariables(expr) });
    for (const inner of Object.values(value)) collect(inner, here);
  };
  collect(dashboard(), 'dashboard');
  return found;
}

/** The queries of the alert rules. */
export function alertQueries(): readonly Query[] {
  const { groups } = Object(load(readFileSync(`${MONITORING}alerts.yml`, 'utf8')));
  return Object(groups)[0].rules.map(({ alert, expr }: { alert: string; expr: string }) => ({
    place: alert,
    expr,
  }));
}

/** The names of our metrics in a query, without the endings of histograms. */
export function metricsIn(expr: string): readonly string[] {
  return [...expr.matchAll(/\bplanner_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));
}

export function dashboard(): Record<string, unknown> {
  return Object(JSON.parse(readFileSync(`${MONITORING}dashboard.json`, 'utf8')));
}

function withVariables(expr: string): string {
  return expr
    .replaceAll('$destination', '.*')
    .replaceAll('$resource', 'cores')
    .replaceAll('$__rate_interval', '1m');
}
