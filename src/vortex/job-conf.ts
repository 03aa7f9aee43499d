import { emitYaml, parseYaml, valueOf } from '../yaml/index.ts';
import type { Node } from '../yaml/index.ts';
import { documentOf } from './to-yaml.ts';
import { fromNode } from './values.ts';

/**
 * Where an execution environment of Galaxy says that its rules are: files, or configurations written out in it (as
 * YAML).
 */
export type RulesLocation = { readonly files: readonly string[] | null; readonly configs: readonly string[] | null };

/** An execution environment that names no rules, or names them twice. The text is that of TPV's gateway. */
export class NotOneLocation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValueError';
  }
}

/** Rules come from files or from the environment itself (1.22). Throws NotOneLocation for both and for neither. */
export function oneLocation({ files, configs }: { readonly [how in keyof RulesLocation]: readonly unknown[] | null }): void {
  const isFiles = files !== null && files.length > 0;
  const isConfigs = configs !== null && configs.length > 0;
  if (isFiles && isConfigs) {
    throw new NotOneLocation('Only one of tpv_configs or tpv_config_files can be specified in execution environment.');
  }
  if (!isFiles && !isConfigs) {
    throw new NotOneLocation('One of tpv_configs or tpv_config_files must be specified in execution environment.');
  }
}

/** The environment of TPV in Galaxy's job configuration; TPV's commands know it by this name only. */
const ENVIRONMENT = 'tpv_dispatcher';

/**
 * Where a job configuration of Galaxy (YAML) says that TPV's rules are: `tpv_config_files` or `tpv_configs` of the
 * environment `tpv_dispatcher`, the latter as texts. Throws YamlError, and NotOneLocation for both, neither, or what is
 * no such configuration.
 */
export function rulesOfJobConf(text: string): RulesLocation {
  const root = text.trimStart().startsWith('<') ? undefined : parseYaml(text);
  const environment = ['execution', 'environments', ENVIRONMENT].reduce(inside, root);
  if (environment?.kind !== 'map') {
    throw new NotOneLocation(`a job configuration in YAML with execution.environments.${ENVIRONMENT} is expected`);
  }
  const files = itemsOf(valueOf(environment, 'tpv_config_files'));
  const configs = itemsOf(valueOf(environment, 'tpv_configs'));
  const location = {
    files: files === null ? null : files.map((file) => (file.kind === 'string' ? file.value : '')),
    configs:
      configs === null ? null : configs.map((config) => emitYaml(documentOf(fromNode(config), { inBlocks: true }))),
  };
  oneLocation(location);
  return location;
}

function inside(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'map' ? valueOf(node, key) : undefined;
}

/** A list, or text with commas between its items. */
function itemsOf(node: Node | undefined): readonly Node[] | null {
  if (node?.kind === 'seq') return node.items;
  if (node?.kind !== 'string') return null;
  return node.value.split(',').map((value) => ({ ...node, value: value.trim() }));
}
