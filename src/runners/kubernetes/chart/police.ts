import { isRecord } from '../../../words/record.ts';
import { shown } from '../../../tasks/task.ts';
import { jobTerms } from '../manifests/job.ts';
import { JOB_LABEL, KINDS, type Manifest } from '../manifests/manifest.ts';
import { CHART_KINDS, type ChartKind } from '../settings.ts';
import { containerSharesOf, type ContainerShare, type PodClaim } from './amounts.ts';
import { countAt, fieldsAt, listAt, only, ownName, refuseChart } from './checked.ts';
import { readPod, type Terms } from './pod.ts';

const MOST_OBJECTS = 50;
const MOST_PODS = 1000;
const MOST_RETRIES = 10;

/** An object of a chart, as it was read; the share of its containers is not known yet. */
type ReadObject = {
  readonly kind: ChartKind;
  /** undefined: it has no pods */
  readonly claim?: PodClaim;
  readonly build: (share: ContainerShare) => Manifest;
};

type Head = {
  readonly kind: ChartKind;
  readonly place: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly metadata: Manifest['metadata'];
};

const ORDER: readonly ChartKind[] = ['ConfigMap', 'Secret', 'Service', 'Deployment', 'Job'];

/**
 * The objects of a chart as a destination allows them. Every object is of a kind that the site
 * allows and has only harmless keys. We set users, amounts, deadlines, the namespace and the job's
 * label. A list becomes its objects.
 *
 * @returns the manifests in the order in which they are made, Jobs last
 * @throws JobFailure with `chart-refused` that names the place
 */
export function police(documents: readonly unknown[], terms: Terms): readonly Manifest[] {
  const flat = documents.flatMap((document) =>
    isRecord(document) && document['kind'] === 'List'
      ? listAt(document['items'], 'List.items')
      : [document],
  );
  if (flat.length > MOST_OBJECTS)
    refuseChart('the chart', `it has ${flat.length} objects, and ${MOST_OBJECTS} are the most`);
  const objects = flat.map((document) => readObject(document, terms));
  if (!objects.some(({ kind }) => kind === 'Job'))
    refuseChart('the chart', 'it has no Job, whose end would be the end of the task');
  const share = containerSharesOf(
    objects.flatMap(({ claim }) => claim ?? []),
    terms.workload.limits,
    terms.workload.gpus?.count ?? 0,
  );
  return objects
    .toSorted((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind))
    .map(({ build }) => build(share));
}

function readObject(value: unknown, terms: Terms): ReadObject {
  const head = readHead(value, terms);
  switch (head.kind) {
    case 'Job':
      return readJob(head, terms);
    case 'Deployment':
      return readDeployment(head, terms);
    case 'Service':
      return readService(head, terms);
    case 'ConfigMap':
      return readData(head, ['data', 'binaryData', 'immutable']);
    case 'Secret':
      return readData(head, ['data', 'stringData', 'immutable', 'type']);
    default:
      return head.kind satisfies never;
  }
}

function readHead(value: unknown, { settings, workload: { job }, release }: Terms): Head {
  const document = fieldsAt(value, 'a document of the chart');
  const kind = CHART_KINDS.find((known) => known === document['kind']);
  const told =
    typeof document['kind'] === 'string' ? shown(document['kind']) : 'an object without a kind';
  const kinds = settings.charts?.kinds ?? [];
  if (kind === undefined || !kinds.includes(kind))
    return refuseChart(told, `a chart may have ${kinds.join(', ')} here`);
  const metadata = only(document['metadata'], `${kind}.metadata`, [
    'name',
    'namespace',
    'labels',
    'annotations',
  ]);
  const name = ownName(metadata['name'], `${kind}.metadata.name`, release);
  const place = `${kind} ${name}`;
  if (document['apiVersion'] !== KINDS[kind])
    refuseChart(`${place}.apiVersion`, `${KINDS[kind]} is expected`);
  const namespace = metadata['namespace'] ?? settings.namespace;
  if (namespace !== settings.namespace)
    refuseChart(`${place}.metadata.namespace`, "the namespace is the site's");
  const annotations = fieldsAt(metadata['annotations'], `${place}.metadata.annotations`);
  if (Object.keys(annotations).some((key) => key === 'helm.sh/hook'))
    refuseChart(`${place}.metadata.annotations`, 'hooks are not run here');
  const labels = Object.fromEntries(
    Object.entries(fieldsAt(metadata['labels'], `${place}.metadata.labels`)).map(([key, label]) => [
      key,
      String(label),
    ]),
  );
  return {
    kind,
    place,
    document,
    metadata: { name, namespace: settings.namespace, labels: { ...labels, [JOB_LABEL]: job } },
  };
}

function readJob(head: Head, terms: Terms): ReadObject {
  const { kind, place, document } = head;
  const { workload, settings } = terms;
  const spec = only(document['spec'], `${place}.spec`, [
    'template',
    'parallelism',
    'completions',
    'completionMode',
    'backoffLimit',
    'activeDeadlineSeconds',
    'ttlSecondsAfterFinished',
  ]);
  const parallelism = countAt(spec['parallelism'], `${place}.spec.parallelism`, {
    fallback: 1,
    most: MOST_PODS,
  });
  const backoffLimit = countAt(spec['backoffLimit'], `${place}.spec.backoffLimit`, {
    fallback: 0,
    most: MOST_RETRIES,
  });
  const pod = readPod(spec['template'], `${place}.spec.template`, terms, {
    times: parallelism,
    restarts: ['Never', 'OnFailure'],
  });
  const { completions, completionMode } = spec;
  const counts = {
    parallelism,
    ...(completions == null
      ? {}
      : {
          completions: countAt(completions, `${place}.spec.completions`, {
            fallback: 1,
            most: 100_000,
          }),
        }),
  };
  const mode = completionMode === undefined ? {} : { completionMode };
  // Deadlines follow from the offer, whatever the chart says.
  const terminal = jobTerms(workload.limits, settings);
  return {
    kind,
    claim: pod.claim,
    build: (share) =>
      manifestOf(head, {
        spec: { ...counts, ...mode, backoffLimit, ...terminal, template: pod.build(share) },
      }),
  };
}

function manifestOf({ kind, metadata }: Head, rest: object): Manifest {
  return { apiVersion: KINDS[kind], kind, metadata, ...rest };
}

function readDeployment(head: Head, terms: Terms): ReadObject {
  const { kind, place, document } = head;
  const spec = only(document['spec'], `${place}.spec`, [
    'replicas',
    'selector',
    'template',
    'strategy',
    'minReadySeconds',
    'revisionHistoryLimit',
    'progressDeadlineSeconds',
  ]);
  const replicas = countAt(spec['replicas'], `${place}.spec.replicas`, {
    fallback: 1,
    most: MOST_PODS,
  });
  const pod = readPod(spec['template'], `${place}.spec.template`, terms, {
    times: replicas,
    restarts: ['Always'],
  });
  const { matchLabels } = only(spec['selector'], `${place}.spec.selector`, ['matchLabels']);
  const selector = {
    matchLabels: {
      ...fieldsAt(matchLabels, `${place}.spec.selector.matchLabels`),
      [JOB_LABEL]: terms.workload.job,
    },
  };
  // A rolling update would run a second pod beside the old one, more than was offered.
  return {
    kind,
    claim: pod.claim,
    build: (share) =>
      manifestOf(head, {
        spec: { replicas, selector, strategy: { type: 'Recreate' }, template: pod.build(share) },
      }),
  };
}

function readService(head: Head, { workload: { job } }: Terms): ReadObject {
  const { kind, place, document } = head;
  const spec = only(document['spec'], `${place}.spec`, [
    'type',
    'clusterIP',
    'ports',
    'selector',
    'publishNotReadyAddresses',
  ]);
  const { type = 'ClusterIP', clusterIP, ports, publishNotReadyAddresses } = spec;
  if (type !== 'ClusterIP')
    refuseChart(`${place}.spec.type`, 'a job is not reached from outside: ClusterIP is expected');
  if (clusterIP !== undefined && clusterIP !== 'None')
    refuseChart(`${place}.spec.clusterIP`, 'None, or nothing, is expected');
  const known = listAt(ports, `${place}.spec.ports`).map((port, index) =>
    only(port, `${place}.spec.ports[${index}]`, [
      'name',
      'port',
      'targetPort',
      'protocol',
      'appProtocol',
    ]),
  );
  const selector = { ...fieldsAt(spec['selector'], `${place}.spec.selector`), [JOB_LABEL]: job };
  const more = {
    ...(clusterIP !== undefined && { clusterIP }),
    ...(publishNotReadyAddresses === true && { publishNotReadyAddresses }),
  };
  return {
    kind,
    build: () =>
      manifestOf(head, {
        spec: { type, selector, ...(known.length > 0 && { ports: known }), ...more },
      }),
  };
}

function readData(head: Head, keys: readonly string[]): ReadObject {
  const { kind, place, document } = head;
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = document;
  const found = only(rest, place, keys);
  // The cluster makes credentials of other types of secrets.
  if (kind === 'Secret' && found['type'] !== undefined && found['type'] !== 'Opaque')
    refuseChart(`${place}.type`, 'Opaque is expected');
  return { kind, build: () => manifestOf(head, found) };
}
