import type { Json } from './job.ts';

/** Where an execution environment of Galaxy says that its rules are: files, or configurations written out in it. */
export type RulesLocation = { readonly files: readonly string[] | null; readonly configs: readonly Json[] | null };

/** An execution environment that names no rules, or names them twice. The text is that of TPV's gateway. */
export class NotOneLocation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValueError';
  }
}

/** Rules come from files or from the environment itself (1.22). Throws NotOneLocation for both and for neither. */
export function oneLocation({ files, configs }: RulesLocation): readonly string[] | readonly Json[] {
  const isFiles = files !== null && files.length > 0;
  const isConfigs = configs !== null && configs.length > 0;
  if (isFiles && isConfigs) {
    throw new NotOneLocation('Only one of tpv_configs or tpv_config_files can be specified in execution environment.');
  }
  if (isFiles) return files;
  if (isConfigs) return configs;
  throw new NotOneLocation('One of tpv_configs or tpv_config_files must be specified in execution environment.');
}
