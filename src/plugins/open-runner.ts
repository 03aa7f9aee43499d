import type { Runner } from '../runners/port.ts';
import { loadPlugins } from './load.ts';
import type { Block } from './plugin.ts';

/** What a plug-in's own tests open: one of its engines. */
type PluginRunner = {
  /** the folder with plug-ins, as PLUGINS_DIR names it */
  readonly plugins: string;
  /** the plug-in's folder in it; absent: any */
  readonly folder?: string;
  /** of the runner */
  readonly name: string;
  readonly settings: Block;
  /** absolute directory of jobs */
  readonly jobsRoot: string;
};

/**
 * Opens an engine of a plug-in with the tools of this service, which fetches from nowhere.
 *
 * @throws Error that says what to change
 */
export async function openPluginRunner({
  plugins,
  folder,
  name,
  settings,
  jobsRoot,
}: PluginRunner): Promise<Runner> {
  const { engineTypes } = await loadPlugins(plugins, folder);
  const type = engineTypes.find((one) => one.name === name);
  if (type === undefined) throw new Error(`no plug-in in ${plugins} has a runner ${name}`);
  const urls = { allowHosts: [], fileRoots: [] };
  return type.open({ runner: name, type, settings }, { jobsRoot, urls });
}
