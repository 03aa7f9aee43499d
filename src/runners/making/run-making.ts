import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MadeTerms } from '../../environments/environment.ts';
import { isRoot } from '../../places/reachable.ts';
import { isNonEmpty } from '../../words/ids.ts';
import { parsedJson } from '../../words/record.ts';
import { watchedRun, type WatchedEnd } from '../asking/watched-run.ts';
import { makingWords, SYSTEM } from '../process/start/bubblewrap.ts';
import { resolveProgram } from '../process/start/host.ts';
import { findDefaultIsolation } from '../process/start/isolation.ts';
import { asUser } from '../process/start/script.ts';
import { isVisible, prefixesOf } from '../process/start/visible-paths.ts';
import { JOB_PATH } from '../run/environment.ts';
import { megabytesOf } from './size.ts';
import { failureOf, type MakingFailure } from './words.ts';

/** What was installed, as `name==version`, or why nothing was. */
export type Made =
  | { readonly ok: true; readonly installed: readonly string[] }
  | ({ readonly ok: false } & MakingFailure);

const MAKE = readFileSync(fileURLToPath(new URL('make.py', import.meta.url)), 'utf8');

/** An account without files; everything that it wrote is taken from it when it is done. */
const NOBODY = 65_534;
/** The installer's own words, of which the last matter. */
const SAID = 20_000;
const PRINTED = 2 ** 20;
const LOOK_MS = 2000;
const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
const BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt'];

/** What a making has besides its task. */
export type MakingTools = {
  /** ends it early */
  readonly stop: AbortSignal;
  /** called again and again while it goes on; never throws */
  readonly renew: () => Promise<void>;
  /** absolute path of an installer; that of the machine when absent, else pip */
  readonly uv?: string | undefined;
};

/**
 * Makes a virtual environment in the folder `venv` of a new folder: in a sandbox that has the network
 * of the machine and sees this folder alone, as root for the account `nobody`.
 *
 * @param folder absolute; it is left behind when nothing was made
 */
export async function makeVenv(
  terms: MadeTerms,
  requirements: readonly string[],
  folder: string,
  { stop, renew, uv = resolveProgram('uv', '/') }: MakingTools,
): Promise<Made> {
  const isSandboxed = findDefaultIsolation().sandbox === 'bubblewrap';
  if (terms.builds && !isSandboxed)
    return {
      ok: false,
      why: 'packages are built in a sandbox, and this machine has none',
      isFinal: false,
    };
  const readable = [...prefixesOf(terms.python), ...terms.paths];
  const isSeen = uv !== undefined && isVisible(uv, [...SYSTEM, ...readable]);
  const { index, builds } = terms;
  await writeRequest({ requirements, index, builds, uv: isSeen ? uv : null }, folder);
  const words = [
    ...(isRoot() ? asUser(NOBODY) : []),
    'prlimit',
    `--fsize=${terms.size * 2 ** 20}`,
    ...(isSandboxed ? makingWords(readable, folder) : []),
    terms.python,
    '-I',
    '-c',
    MAKE,
    folder,
  ];
  if (!isNonEmpty(words)) throw new Error('there is always a program');
  const end = await watchedRun(
    words,
    surroundings(folder),
    { ms: terms.time * 1000, bytes: PRINTED, said: SAID, stop },
    {
      everyMs: LOOK_MS,
      look: async () => {
        await renew();
        return (await megabytesOf(folder)) > terms.size ? sizeProblem(terms) : undefined;
      },
    },
  );
  await rm(join(folder, 'tmp'), { recursive: true, force: true });
  await rm(join(folder, 'request.json'), { force: true });
  return madeBy(end, terms);
}

/** Why a making ended whose files are too many. */
export function sizeProblem({ size }: Pick<MadeTerms, 'size'>): string {
  return `it is larger than ${size} MiB`;
}

async function writeRequest(request: object, folder: string): Promise<void> {
  const file = join(folder, 'request.json');
  await mkdir(join(folder, 'tmp'), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(request), { mode: 0o600 });
  if (!isRoot()) return;
  for (const path of [folder, join(folder, 'tmp'), file]) await chown(path, NOBODY, NOBODY);
}

/** Nothing of the service's own but the way to the network. */
function surroundings(folder: string): Readonly<Record<string, string>> {
  const bundle = BUNDLES.find(existsSync);
  return {
    PATH: JOB_PATH,
    LANG: 'C.UTF-8',
    HOME: join(folder, 'tmp'),
    TMPDIR: join(folder, 'tmp'),
    UV_CACHE_DIR: join(folder, 'tmp', 'uv'),
    UV_HTTP_TIMEOUT: '20',
    // pip reads the machine's and the account's settings otherwise.
    PIP_CONFIG_FILE: '/dev/null',
    ...(bundle && { PIP_CERT: bundle, SSL_CERT_FILE: bundle }),
    ...Object.fromEntries(
      PROXIES.flatMap((name) => {
        const value = process.env[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

function madeBy({ status, why, printed, said }: WatchedEnd, { index }: MadeTerms): Made {
  if (why !== undefined) return { ok: false, why, isFinal: false };
  if (status !== 0) return { ok: false, ...failureOf(said, index) };
  const installed = parsedJson(printed);
  return Array.isArray(installed)
    ? { ok: true, installed: installed.filter((one) => typeof one === 'string') }
    : { ok: false, why: 'the installer leaves no list of what it installed', isFinal: false };
}
