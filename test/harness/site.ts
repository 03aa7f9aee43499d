import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';

/** A folder with a site file and a rule file of a test's own. */
export type TestSite = {
  readonly folder: string;
  readonly siteFile: string;
  readonly remove: () => Promise<void>;
};

/** So many GPUs of each type at a `process` destination, with the devices that are handed out. */
export function gpusOf(counts: Readonly<Record<string, number>>): {
  readonly gpus: object;
  readonly process: object;
} {
  return {
    gpus: counts,
    process: {
      gpus: Object.fromEntries(
        Object.entries(counts).map(([type, count]) => [
          type,
          Array.from({ length: count }, (_, index) => ({ id: `${type}-${index}`, files: [] })),
        ]),
      ),
    },
  };
}

/**
 * A decision has time on a busy machine, too: its limit is one by the clock, and
 * what it does is for test/sandbox.
 */
const PATIENT = { sandbox: { 'decision-ms': 10_000 } };

/** Writes a site file (as data or text) and a rule file beside it. */
export async function writeSite(site: object | string, rules: object | string): Promise<TestSite> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-site-'));
  const text = (document: object | string): string =>
    typeof document === 'string' ? document : dump(document);
  await writeFile(join(folder, 'rules.yml'), text(rules));
  await writeFile(
    join(folder, 'site.yml'),
    text(typeof site === 'string' ? site : { ...PATIENT, ...site }),
  );
  return {
    folder,
    siteFile: join(folder, 'site.yml'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
