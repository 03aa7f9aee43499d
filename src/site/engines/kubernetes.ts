import { isAbsolute, resolve } from 'node:path';
import {
  CHART_KINDS,
  type ChartSettings,
  type KubernetesSettings,
  type Toleration,
} from '../../runners/engine.ts';
import { seconds } from '../../words/units.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readDuration } from '../read/fields.ts';
import { readSiteImage } from './container.ts';

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

/** Names of objects (RFC 1123), and keys and values of labels. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const LABEL_KEY =
  /^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;
const CONTEXT = /^[\w.@:/-]{1,253}$/;
const FOLDER = /^(?!.*(^|\/)\.\.?(\/|$))[^/\0][^\0]{0,500}$/;

/**
 * The settings of a Kubernetes cluster (key `kubernetes` of a destination).
 *
 * @param node undefined: the destination has no such key
 * @param destination for what is said of a missing key
 */
export function readKubernetes(
  reader: Reader,
  node: Node | undefined,
  destination: Node,
  what: string,
  folder: string,
): KubernetesSettings | undefined {
  if (node === undefined)
    return reader.problem(
      destination,
      `the kubernetes runner needs '${what}'`,
      'at least namespace and claim, for example kubernetes: { kubeconfig: kubeconfig, ' +
        'namespace: vo-jobs, claim: jobs }',
    );
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, KEYS);
  for (const key of ['namespace', 'claim'] as const)
    if (found[key] === undefined) reader.problem(node, `${what} needs '${key}'`);
  if (found.context !== undefined && found.kubeconfig === undefined)
    reader.problem(found.context, `${what}.context is of a kubeconfig`);
  const images = found.images && reader.expectMap(found.images, `${what}.images`);
  const named = images
    ? reader.expectKeys(images, `${what}.images`, ['executable', 'python-program'])
    : {};
  return {
    kubeconfig: readPath(reader, found.kubeconfig, `${what}.kubeconfig`, folder),
    context: readName(reader, found.context, `${what}.context`, CONTEXT),
    namespace: readName(reader, found.namespace, `${what}.namespace`) ?? '',
    claim: {
      name: readName(reader, found.claim, `${what}.claim`) ?? '',
      folder: readFolder(reader, found['claim-folder'], `${what}.claim-folder`),
    },
    outbound:
      (found.network &&
        reader.expectOneOf(found.network, `${what}.network`, ['none', 'outbound'] as const)) ===
      'outbound',
    runtimeClass: readName(reader, found['runtime-class'], `${what}.runtime-class`),
    priorityClass: readName(reader, found['priority-class'], `${what}.priority-class`),
    pullSecrets: readNames(reader, found['pull-secrets'], `${what}.pull-secrets`),
    nodeSelector: readTexts(
      reader,
      found['node-selector'],
      `${what}.node-selector`,
      LABEL_VALUE,
      'the value of a label',
    ),
    tolerations: readTolerations(reader, found.tolerations, `${what}.tolerations`),
    gpus: readTexts(
      reader,
      found.gpus,
      `${what}.gpus`,
      LABEL_KEY,
      'an extended resource, such as nvidia.com/gpu',
    ),
    pull:
      (found.pull &&
        reader.expectOneOf(found.pull, `${what}.pull`, ['always', 'missing'] as const)) ??
      'always',
    pullLimit: readDuration(reader, found['pull-limit'], `${what}.pull-limit`, seconds(600)),
    longestWait: readDuration(reader, found['longest-wait'], `${what}.longest-wait`, seconds(3600)),
    unreachableLimit: readDuration(
      reader,
      found['unreachable-limit'],
      `${what}.unreachable-limit`,
      seconds(3600),
    ),
    images: {
      executable: readSiteImage(reader, named.executable, `${what}.images.executable`),
      'python-program': readSiteImage(
        reader,
        named['python-program'],
        `${what}.images.python-program`,
      ),
    },
    charts: readCharts(reader, found.charts, `${what}.charts`, folder),
  };
}

function readPath(
  reader: Reader,
  node: Node | undefined,
  what: string,
  folder: string,
): string | undefined {
  const path = node && reader.expectString(node, what, 'the path of a file');
  return path === undefined ? undefined : resolve(folder, path);
}

function readName(
  reader: Reader,
  node: Node | undefined,
  what: string,
  pattern = NAME,
): string | undefined {
  const name = node && reader.expectString(node, what);
  if (node === undefined || name === undefined || pattern.test(name)) return name;
  return reader.problem(
    node,
    `${what} cannot be '${name}'`,
    'a name as Kubernetes has it, of letters, digits, dots and dashes',
  );
}

/** The folder of the claim's volume, without slashes at its ends. */
function readFolder(reader: Reader, node: Node | undefined, what: string): string {
  const folder = node && reader.expectString(node, what)?.replace(/\/+$/, '');
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
  const names = node === undefined ? [] : (reader.expectStrings(node, what) ?? []);
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
  const map = node && reader.expectMap(node, what);
  const entries = (map ? reader.entries(map, what) : []).flatMap(
    ({ name, value }): readonly (readonly [string, string])[] => {
      const text = reader.expectString(value, `${what} '${name}'`);
      if (text !== undefined && !pattern.test(text))
        reader.problem(value, `${what} '${name}' cannot be '${text}'`, hint);
      return text === undefined ? [] : [[name, text]];
    },
  );
  return Object.fromEntries(entries);
}

function readTolerations(
  reader: Reader,
  node: Node | undefined,
  what: string,
): readonly Toleration[] {
  return (node === undefined ? [] : (reader.expectStrings(node, what) ?? [])).flatMap((text) => {
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
  reader: Reader,
  node: Node | undefined,
  what: string,
  folder: string,
): ChartSettings | undefined {
  const map = node && reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, ['helm', 'kinds']);
  if (found.helm === undefined)
    reader.problem(map, `${what} needs 'helm'`, 'the absolute path of a helm binary');
  const helm = readPath(reader, found.helm, `${what}.helm`, folder);
  const list = found.kinds && reader.expectSeq(found.kinds, `${what}.kinds`);
  const kinds = list
    ? list.items.flatMap(
        (item, index) => reader.expectOneOf(item, `${what}.kinds[${index}]`, CHART_KINDS) ?? [],
      )
    : (['Job', 'ConfigMap', 'Secret', 'Service'] as const);
  return helm === undefined ? undefined : { helm, kinds };
}
