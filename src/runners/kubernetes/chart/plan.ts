import type { ChartTask } from '../../../tasks/task.ts';
import { JobFailure } from '../../../words/job-failure.ts';
import { objectName, type Manifest } from '../manifests/manifest.ts';
import { contentOf } from '../../run/program.ts';
import { police } from './police.ts';
import type { Terms } from './pod.ts';
import { renderChart } from './render.ts';

/**
 * The objects of a chart. The executor fetches the chart, renders it without a network, and
 * compares the result with what the destination allows.
 *
 * @throws JobFailure
 */
export async function planChart(
  terms: Omit<Terms, 'release'>,
  { chart, values }: ChartTask,
): Promise<readonly Manifest[]> {
  const {
    settings: { charts, namespace },
    urls,
    workload,
    user,
  } = terms;
  if (charts === undefined)
    throw new JobFailure('runner-failed', 'this site renders no charts (kubernetes.charts)');
  const archive = await contentOf(chart, urls);
  const release = objectName(workload.job);
  const documents = await renderChart({
    helm: charts.helm,
    archive,
    values,
    release,
    namespace,
    user,
  });
  return police(documents, { ...terms, release });
}
