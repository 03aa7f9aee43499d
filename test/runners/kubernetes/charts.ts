import { police } from '../../../src/runners/kubernetes/chart/police.ts';
import type { ChartKind } from '../../../src/runners/kubernetes/settings.ts';
import { directoryOf } from '../../../src/runners/run/directory.ts';
import { settingsOf } from '../../engines/kubernetes/cluster.ts';
import { workload } from '../workloads.ts';

const ALL: readonly ChartKind[] = ['Job', 'ConfigMap', 'Secret', 'Service', 'Deployment'];
/** A job that installs a chart, with 2 cores and 1024 MiB on offer. */
export const chartWork = workload(
  { type: 'helm-chart', chart: { kind: 'url', url: 'https://example.org/c.tgz' }, values: {} },
  { cores: 2, memory: 1024, wallTime: 60 },
);
/** The release of the job's chart, a prefix of its objects' names. */
export const release = `planner-${chartWork.job}`;
/** The terms for checking the job's objects: all kinds, images of one registry. */
export const chartTerms = {
  settings: settingsOf('/kubeconfig', { charts: { helm: '/helm', kinds: ALL } }),
  urls: { allowHosts: [], fileRoots: [], registries: ['ghcr.io/ivoa'] },
  workload: chartWork,
  place: directoryOf('/jobs', chartWork.job),
  user: { uid: 61_200, gid: 61_200 },
  release,
};
/** A container that is always allowed. */
export const CONTAINER = { name: 'main', image: 'ghcr.io/ivoa/example:1' };

/** A Job of the chart, with changes at its levels. */
export function job({
  container = {},
  pod = {},
  spec = {},
  metadata = {},
  top = {},
}: {
  container?: object;
  pod?: object;
  spec?: object;
  metadata?: object;
  top?: object;
} = {}): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: release, ...metadata },
    spec: { template: { spec: { containers: [{ ...CONTAINER, ...container }], ...pod } }, ...spec },
    ...top,
  };
}

/** A Deployment of one container, with changes of its `spec`. */
export function deployment(spec: object = {}): object {
  return manifest(
    'Deployment',
    {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [CONTAINER] } },
        ...spec,
      },
    },
    'apps/v1',
  );
}

/** Any other object of the chart. */
export function manifest(kind: string, rest: object, apiVersion = 'v1'): object {
  return { apiVersion, kind, metadata: { name: `${release}-x` }, ...rest };
}

/** The verdict on the objects: `accepted`, or the reason of the refusal. */
export function saidOf(...documents: readonly unknown[]): string {
  try {
    police(documents, chartTerms);
    return 'accepted';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
