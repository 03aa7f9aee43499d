import { chartForm } from './forms/chart.ts';
import { isRecord } from '../words/record.ts';
import { invalidSpec, readSpec, readUrl, type SpecReader } from './spec-reader.ts';
import { verdict, type BuiltInType } from './task.ts';

const LONGEST_VALUES = 200_000;

/**
 * `spec: { chart: <URL of a packaged chart>, values: { … } }`; the 2023 draft leaves the spec open.
 */
export const helmChart: BuiltInType<'helm-chart'> = {
  name: 'helm-chart',
  uri: 'https://www.purl.org/ivoa-net/task-type/helm-chart',
  aliases: [
    'https://www.purl.org/ivoa.net/task-type/helm-chart',
    'https://www.purl.org/ivoa.net/executable-types/helm-chart',
    'uri:helm-chart-1.0',
  ],
  form: chartForm,
  parse: (spec, policy) => {
    const reader = readSpec(spec, ['chart', 'values']);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const chart = readUrl(reader, 'chart', policy);
    const values = readValues(reader);
    return verdict(chart && { type: 'helm-chart', chart, values }, reader.problems);
  },
};

/** Reads `values`, which helm merges over the chart's own. */
function readValues(reader: SpecReader): Readonly<Record<string, unknown>> {
  const values = reader.fields.get('values');
  if (values === undefined) return {};
  if (!isRecord(values)) {
    invalidSpec(reader, 'values', 'values must be a mapping');
    return {};
  }
  const { length } = JSON.stringify(values);
  if (length > LONGEST_VALUES)
    invalidSpec(reader, 'values', 'values is too long', length, LONGEST_VALUES);
  return values;
}
