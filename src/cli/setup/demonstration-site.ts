import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DEMONSTRATION_SITE, type Settings } from '../../settings.ts';
import { readyNotebooks } from './place.ts';

/**
 * The settings of a service: where the demonstration site runs, it has the environment that
 * `planner setup notebooks` made, if that is there.
 *
 * @param dataDirectory below which it was made
 */
export async function withNotebooks(
  settings: Settings,
  dataDirectory = settings.dataDirectory,
): Promise<Settings> {
  if (settings.siteFile !== DEMONSTRATION_SITE) return settings;
  const place = readyNotebooks(dataDirectory);
  if (place === undefined) return settings;
  const siteFile = join(place.folder, 'site.yml');
  // Written at each start: another version of the service has another site.
  await writeFile(siteFile, siteWith(await readFile(DEMONSTRATION_SITE, 'utf8'), place.python));
  return { ...settings, siteFile };
}

/** The demonstration site with an environment for its notebooks, at any place. */
function siteWith(text: string, python: string): string {
  const absolute = (path: string): string =>
    JSON.stringify(resolve(dirname(DEMONSTRATION_SITE), path));
  return [
    `environments:`,
    `  built-in: { pyodide: true }`,
    `  notebooks: { python: ${JSON.stringify(python)} }`,
    text
      .replaceAll('    runner: notebook\n', '$&    environments: [built-in, notebooks]\n')
      .replace('[rules.yml]', `[${absolute('rules.yml')}]`)
      .replace('[../../../docs/examples]', `[${absolute('../../../docs/examples')}]`),
  ].join('\n');
}
