import { existsSync, readFileSync } from 'node:fs';
import type { RuleSource } from '../../../src/vortex/index.ts';

const FOLDER = new URL('../../../../shared/tpv/fixtures/production/', import.meta.url);

/** The EU site's files with the shared database, in its load order. */
const FILES = [
  'eu/tool_defaults.yml',
  'shared-db/tools.yml',
  'eu/destinations.yml',
  'eu/tools.yml',
  'eu/interactive_tools.yml',
  'eu/conda_in_container.yml',
  'eu/users.yml',
  'eu/roles.yml',
] as const;

/** The rule files for both engines; undefined without the recorded production files. */
export function productionFiles(): readonly RuleSource[] | undefined {
  if (!existsSync(new URL(FILES[0], FOLDER))) return undefined;
  return FILES.map((file) => {
    const url = new URL(file, FOLDER);
    return { name: url.pathname, text: readFileSync(url, 'utf8') };
  });
}
