import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';

/** A folder with a site file and a rule file for a test. */
export type TestSite = {
  readonly folder: string;
  readonly siteFile: string;
  readonly remove: () => Promise<void>;
};

/** A destination of the site file that runs programs on this machine; four cores by default. */
export function processDestination(more: object = {}): object {
  return {
    runner: 'process',
    'task-types': ['executable'],
    cores: 4,
    memory: '8GiB',
    scratch: '80GiB',
    ...more,
  };
}

/**
 * An entry of the site file's `identity.tokens`.
 *
 * @param secret what the user presents; `ada` and `ada-token` are of ada@example.org by default
 */
export function tokenOf(
  secret: string,
  more: { readonly user?: string; readonly roles?: readonly string[] } = {},
): object {
  return {
    sha256: createHash('sha256').update(secret).digest('hex'),
    user: `${secret.replace(/-token$/, '')}@example.org`,
    ...more,
  };
}

/** GPUs of a `process` destination by type, with the devices that jobs get. */
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

/** A site with one destination of four cores, for tests that only need an answer. */
export const SMALL_SITE = { rules: ['rules.yml'], destinations: { a: processDestination() } };
/** Rules that send everything to its destination. */
export const SMALL_RULES = { destinations: { a: { runner: 'process' } } };
/** An ask in JSON, which is a YES there. */
export const SMALL_ASK =
  '{"task": {"type": "https://www.purl.org/ivoa-net/task-type/executable", "spec": {"command": ["sort"]}}}';

/** Decisions get enough time on a busy machine; test/sandbox tests their limit. */
const PATIENT = { sandbox: { 'decision-ms': 10_000 } };

/** Writes a site file (as data or text) and a rule file next to it. */
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
