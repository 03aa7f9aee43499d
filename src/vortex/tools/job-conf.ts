import { parseYaml, valueOf } from '../../yaml/index.ts';
import { emitYaml } from './yaml/emit.ts';
import type { Node } from '../../yaml/index.ts';
import { documentOf } from './to-yaml.ts';
import { fromNode } from '../values.ts';
import { parseXml } from './xml.ts';
import type { Element } from './xml.ts';

/**
 * The rules of an execution environment of Galaxy: files, or configurations written into it as
 * YAML.
 */
type RulesLocation = {
  readonly files: readonly string[] | null;
  readonly configs: readonly string[] | null;
};

/**
 * An execution environment without rules, or with two sources of them. The text is that of TPV's
 * gateway.
 */
export class NotOneLocation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValueError';
  }
}

/** The files or the configurations. Throws NotOneLocation for both and for neither. */
export function oneLocation({
  files,
  configs,
}: { readonly [how in keyof RulesLocation]: readonly unknown[] | null }): void {
  const isFiles = files !== null && files.length > 0;
  const isConfigs = configs !== null && configs.length > 0;
  if (isFiles && isConfigs) {
    throw new NotOneLocation(
      'Only one of tpv_configs or tpv_config_files can be specified in execution environment.',
    );
  }
  if (!isFiles && !isConfigs) {
    throw new NotOneLocation(
      'One of tpv_configs or tpv_config_files must be specified in execution environment.',
    );
  }
}

/** TPV's environment in Galaxy's job configuration; TPV's commands know only this name. */
const ENVIRONMENT = 'tpv_dispatcher';

/**
 * The rules that a job configuration of Galaxy names: `tpv_config_files` or `tpv_configs` (as
 * texts) of the environment `tpv_dispatcher`. In XML, which begins with `<`, that is the
 * destination of this name, with files only. Throws YamlError, XmlError, and NotOneLocation for
 * both, for neither, and for any other text.
 */
export function rulesOfJobConf(text: string): RulesLocation {
  const location = text.trimStart().startsWith('<')
    ? inXml(parseXml(text))
    : inYaml(parseYaml(text));
  oneLocation(location);
  return location;
}

function inXml(root: Element): RulesLocation {
  const named = (element: Element | undefined, name: string, id: string): Element | undefined =>
    element?.children.findLast((child) => child.name === name && child.attributes.get('id') === id);
  const destinations = root.children.find(({ name }) => name === 'destinations');
  const destination = named(destinations, 'destination', ENVIRONMENT);
  if (destination === undefined) return noEnvironment(`a destination with the id ${ENVIRONMENT}`);
  const files = named(destination, 'param', 'tpv_config_files')
    ?.text.split(',')
    .map((file) => file.trim());
  return { files: files?.filter((file) => file !== '') ?? null, configs: null };
}

function noEnvironment(place: string): never {
  throw new NotOneLocation(`a job configuration with ${place} is expected`);
}

function inYaml(root: Node): RulesLocation {
  const environments = inside(inside(root, 'execution'), 'environments');
  const environment =
    environments?.kind === 'seq'
      ? environments.items.find(isOurs)
      : inside(environments, ENVIRONMENT);
  if (environment?.kind !== 'map') return noEnvironment(`execution.environments.${ENVIRONMENT}`);
  // Galaxy's parameters are the keys under `params`, or else all other keys.
  const own = inside(environment, 'params') ?? environment;
  const files = itemsOf(inside(own, 'tpv_config_files'));
  const configs = itemsOf(inside(own, 'tpv_configs'));
  return {
    files: files === null ? null : files.map((file) => (file.kind === 'string' ? file.value : '')),
    configs:
      configs === null
        ? null
        : configs.map((config) => emitYaml(documentOf(fromNode(config), { inBlocks: true }))),
  };
}

function inside(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'map' ? valueOf(node, key) : undefined;
}

function isOurs(environment: Node): boolean {
  const id = inside(environment, 'id');
  return id?.kind === 'string' && id.value === ENVIRONMENT;
}

/** A list, or text with commas between items. */
function itemsOf(node: Node | undefined): readonly Node[] | null {
  if (node?.kind === 'seq') return node.items;
  if (node?.kind !== 'string') return null;
  return node.value.split(',').map((value) => ({ ...node, value: value.trim() }));
}
