import { isAbsolute } from 'node:path';
import {
  CHART_KINDS,
  type ChartSettings,
  type KubernetesSettings,
  type Toleration,
} from './settings.ts';
import { seconds } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readDuration } from '../../yaml/fields.ts';
import {
  mapOfEngine,
  readFilePath,
  readImages,
  readMatching,
  readWord,
  type EngineNode,
} from '../reading/values.ts';

const KEYS = [
  'kubeconfig',
  'context',
  'namespace',
  'claim',
  'claim-folder',
  'network',
  'runtime-class',
  'priority-class',
  'pull-secrets',
  'node-selector',
  'tolerations',
  'gpus',
  'pull',
  'pull-limit',
  'longest-wait',
  'unreachable-limit',
  'images',
  'charts',
] as const;

const NAMES = ['context', 'namespace', 'claim', 'runtime-class', 'priority-class'] as const;
const LIMITS = ['pull-limit', 'longest-wait', 'unreachable-limit'] as const;

/** Names of objects (RFC 1123), and keys and values of labels. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const LABEL_KEY =
  /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;
const CONTEXT = /^[\w.@:/-]{1,253}$/;
const FOLDER = /^(?!.*(^|\/)\.\.?(\/|$))[^/\0][^\0]{0,500}$/;

/** The settings of a Kubernetes cluster (key `kubernetes` of a destination). */
export function readKubernetes(at: EngineNode): KubernetesSettings | undefined {
  const { reader, what } = at;
  const map = mapOfEngine(
    at,
    'at least namespace and claim, for example kubernetes: { kubeconfig: kubeconfig, ' +
      'namespace: vo-jobs, claim: jobs }',
  );
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  reader.requireKeys(map, what, found, ['namespace', 'claim']);
  if (found.context !== undefined && found.kubeconfig === undefined)
    reader.problem(found.context, `${what}.context needs a kubeconfig`);
  const name = (key: (typeof NAMES)[number], form = NAME): string | undefined =>
    readMatching(
      reader,
      found[key],
      `${what}.${key}`,
      form,
      'a name as Kubernetes has it, of letters, digits, dots and dashes',
    );
  const texts = (key: 'node-selector' | 'gpus', form: RegExp, hint: string) =>
    readTexts(reader, found[key], `${what}.${key}`, form, hint);
  const limit = (key: (typeof LIMITS)[number], otherwise: number) =>
    readDuration(reader, found[key], `${what}.${key}`, seconds(otherwise));
  return {
    kubeconfig: readFilePath(at, found.kubeconfig, `${what}.kubeconfig`),
    context: name('context', CONTEXT),
    namespace: name('namespace') ?? '',
    claim: {
      name: name('claim') ?? '',
      folder: readFolder(reader, found['claim-folder'], `${what}.claim-folder`),
    },
    outbound:
      readWord(reader, found.network, `${what}.network`, ['none', 'outbound']) === 'outbound',
    runtimeClass: name('runtime-class'),
    priorityClass: name('priority-class'),
    pullSecrets: readNames(reader, found['pull-secrets'], `${what}.pull-secrets`),
    nodeSelector: texts('node-selector', LABEL_VALUE, 'the value of a label'),
    tolerations: readTolerations(reader, found.tolerations, `${what}.tolerations`),
    gpus: texts('gpus', LABEL_KEY, 'an extended resource, such as nvidia.com/gpu'),
    pull: readWord(reader, found.pull, `${what}.pull`, ['always', 'missing']),
    pullLimit: limit('pull-limit', 600),
    longestWait: limit('longest-wait', 3600),
    unreachableLimit: limit('unreachable-limit', 3600),
    images: readImages(reader, found.images, `${what}.images`),
    charts: readCharts(at, found.charts, `${what}.charts`),
  };
}

/** The folder in the claim's volume, without slashes at its ends. */
function readFolder(reader: Reader, node: Node | undefined, what: string): string {
  const folder = reader.expectString(node, what)?.replace(/\/+$/, '');
  if (node === undefined || folder === undefined) return '';
  if (isAbsolute(folder) || !FOLDER.test(folder))
    reader.problem(
      node,
      `${what} cannot be '${folder}'`,
      'a path within the volume, without "..", such as planner/jobs',
    );
  return folder;
}

function readNames(reader: Reader, node: Node | undefined, what: string): readonly string[] {
  const names = reader.expectStrings(node, what) ?? [];
  for (const name of names)
    if (node !== undefined && !NAME.test(name))
      reader.problem(node, `${what} cannot have '${name}'`, 'the name of a secret');
  return names;
}

function readTexts(
  reader: Reader,
  node: Node | undefined,
  what: string,
  pattern: RegExp,
  hint: string,
): Readonly<Record<string, string>> {
  const entries = reader
    .entries(node, what)
    .flatMap(({ name, value }): readonly (readonly [string, string])[] => {
      const text = reader.expectString(value, `${what} '${name}'`);
      if (text !== undefined && !pattern.test(text))
        reader.problem(value, `${what} '${name}' cannot be '${text}'`, hint);
      return text === undefined ? [] : [[name, text]];
    });
  return Object.fromEntries(entries);
}

function readTolerations(
  reader: Reader,
  node: Node | undefined,
  what: string,
): readonly Toleration[] {
  return (reader.expectStrings(node, what) ?? []).flatMap((text) => {
    const toleration = readToleration(text);
    if (toleration === undefined && node !== undefined)
      reader.problem(
        node,
        `${what} cannot have '${text}'`,
        'a taint, such as dedicated=vo:NoSchedule, or vo:NoSchedule for any value',
      );
    return toleration ?? [];
  });
}

function readToleration(text: string): Toleration | undefined {
  const [, key = '', value, effect] =
    /^([^=:]+)(?:=([^=:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  const known = (['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const).find(
    (name) => name === effect,
  );
  return known === undefined || !LABEL_KEY.test(key) || !LABEL_VALUE.test(value ?? '')
    ? undefined
    : { key, value, effect: known };
}

function readCharts(
  at: EngineNode,
  node: Node | undefined,
  what: string,
): ChartSettings | undefined {
  const { reader } = at;
  const found = reader.fields(node, what, ['helm', 'kinds']);
  if (node === undefined || found === undefined) return undefined;
  if (found.helm === undefined)
    reader.problem(node, `${what} needs 'helm'`, 'the absolute path of a helm binary');
  const helm = readFilePath(at, found.helm, `${what}.helm`);
  const list = reader.expectSeq(found.kinds, `${what}.kinds`);
  const kinds = list
    ? list.items.flatMap(
        (item, index) => reader.expectOneOf(item, `${what}.kinds[${index}]`, CHART_KINDS) ?? [],
      )
    : (['Job', 'ConfigMap', 'Secret', 'Service'] as const);
  return helm === undefined ? undefined : { helm, kinds };
}
