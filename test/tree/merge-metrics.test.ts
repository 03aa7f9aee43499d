import { expect, test } from '@jest/globals';
import { Counter, Gauge, Registry } from 'prom-client';
import { mergeMetrics } from '../../src/tree/merge-metrics.ts';

function measured(planner: number, asks: number): Promise<string> {
  const registry = new Registry();
  registry.setDefaultLabels({ planner });
  const registers = [registry];
  new Counter({ name: 'asks_total', help: 'Asks', labelNames: ['result'], registers }).inc(
    { result: 'YES' },
    asks,
  );
  new Gauge({ name: 'memory', help: 'Memory', registers }).set(planner);
  return registry.metrics();
}

test('metrics of several planners are told once each, with the values of all below', async () => {
  expect(mergeMetrics([await measured(2, 5), '', await measured(1, 7)])).toBe(
    [
      '# HELP asks_total Asks',
      '# TYPE asks_total counter',
      'asks_total{result="YES",planner="2"} 5',
      'asks_total{result="YES",planner="1"} 7',
      '',
      '# HELP memory Memory',
      '# TYPE memory gauge',
      'memory{planner="2"} 2',
      'memory{planner="1"} 1',
      '',
    ].join('\n'),
  );
});
