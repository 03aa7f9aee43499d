import { isIPv4, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hostNameOf } from './words/host-name.ts';

/** The environment variables of the service, read once at start. */
export type Settings = {
  readonly host: string;
  /** 0 takes any free port */
  readonly port: number;
  /** processes that answer requests */
  readonly planners: number;
  /** undefined: the embedded PostgreSQL in `dataDirectory` */
  readonly databaseUrl: string | undefined;
  readonly dataDirectory: string;
  /** working directories of the jobs */
  readonly jobsDirectory: string;
  readonly siteFile: string;
  /** folder of plug-ins; undefined: none */
  readonly pluginsDirectory: string | undefined;
  /** name of this machine's executor in the database; undefined: its host name */
  readonly executorHost: string | undefined;
  /** URL of the service for clients; undefined: as each request names it */
  readonly publicUrl: string | undefined;
  /** more host names of the service, as browsers write them */
  readonly hosts: readonly string[];
  /** Express `trust proxy`: whose X-Forwarded-* headers are believed */
  readonly trustProxy: string | false;
  readonly logLevel: LogLevel;
  /** undefined: pretty on a terminal, JSON elsewhere */
  readonly logFormat: LogFormat | undefined;
  readonly maxBodyKib: number;
};

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_FORMATS = ['json', 'pretty'] as const;
type LogFormat = (typeof LOG_FORMATS)[number];

/** The settings, or everything that is wrong with the environment. */
type SettingsReading =
  | { readonly ok: true; readonly settings: Settings }
  | { readonly ok: false; readonly problems: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;

/** The site that runs when no other is named. */
export const DEMONSTRATION_SITE = fileURLToPath(new URL('site/local/site.yml', import.meta.url));

/** More planners only wait for each other. */
const PLANNERS_A_CORE = 4;

/**
 * Reads the environment; see docs/reference/settings.md for every variable.
 *
 * @param cores of this machine
 */
export function readSettings(
  environment: Environment,
  cores = availableParallelism(),
): SettingsReading {
  const problems: string[] = [];
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const number = (
    name: string,
    otherwise: number,
    [min, max]: readonly [number, number],
    why = '',
  ): number => {
    const given = text(name);
    const value = Number(given ?? otherwise);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    problems.push(`${name} must be a whole number from ${min} to ${max}${why}, not '${given}'`);
    return otherwise;
  };
  const databaseUrl = (name: string): string | undefined => {
    const given = text(name);
    if (given !== undefined && hasSeveralHosts(given)) {
      problems.push(
        `${name} must name one server; what stands before several (HAProxy, a floating address) ` +
          'leads to the one that takes changes',
      );
      return undefined;
    }
    if (given === undefined || isUrl(given, ['postgres:', 'postgresql:'])) return given;
    problems.push(
      `${name} must be a URL that begins with postgres:// or postgresql://` +
        // It is not shown: it may have a password.
        (/^postgres(?:ql)?:\/\//.test(given) ? '; in a password, / is %2F, # %23 and ? %3F' : ''),
    );
    return undefined;
  };
  const publicUrl = (name: string): string | undefined => {
    const given = text(name);
    if (given === undefined || isBase(given)) return given?.replace(/\/+$/, '');
    problems.push(
      `${name} must be a URL that begins with http:// or https://, without ?, # and a user` +
        // What is before an @ may be a password.
        (given.includes('@') ? '' : `, not '${given}'`),
    );
    return undefined;
  };
  const path = (name: string): string | undefined => {
    const given = text(name);
    return given === undefined ? undefined : resolve(given);
  };
  const name = (variable: string): string | undefined => {
    const given = text(variable);
    if (given === undefined || /^[\w.-]{1,64}$/.test(given)) return given;
    problems.push(
      `${variable} must be a name of up to 64 letters, digits, '.', '_' and '-', not '${given}'`,
    );
    return undefined;
  };
  const hosts = (variable: string): readonly string[] =>
    (text(variable)?.split(/[\s,]+/) ?? []).flatMap((given) => {
      const host = hostNameOf(given);
      if (host !== undefined && !/:\d+$/.test(given.replace(/^\[.*\]/, ''))) return host;
      problems.push(
        `${variable} must be names or addresses without ports, with commas between them, not '${given}'`,
      );
      return [];
    });
  const trusted = (variable: string): string | false => {
    const given = text(variable);
    const wrong = given?.split(',').find((one) => !isTrustable(one.trim()));
    if (wrong === undefined) return given ?? false;
    problems.push(
      `${variable} must be loopback, linklocal, uniquelocal, or addresses and networks ` +
        `(10.0.0.0/8), with commas between them, not '${wrong.trim()}'`,
    );
    return false;
  };
  const level = text('LOG_LEVEL') ?? 'info';
  const logLevel = LOG_LEVELS.find((known) => known === level);
  if (logLevel === undefined)
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not '${level}'`);
  const format = text('LOG_FORMAT');
  const logFormat = LOG_FORMATS.find((known) => known === format);
  if (format !== undefined && logFormat === undefined)
    problems.push(`LOG_FORMAT must be json or pretty, not '${format}'`);
  const dataDirectory = resolve(text('DATA_DIR') ?? '.data');
  const settings: Settings = Object.freeze({
    host: text('HOST') ?? '127.0.0.1',
    port: number('PORT', 8080, [0, 65_535]),
    planners: number(
      'PLANNERS',
      1,
      [1, PLANNERS_A_CORE * cores],
      `, ${PLANNERS_A_CORE} for each core`,
    ),
    databaseUrl: databaseUrl('DATABASE_URL'),
    dataDirectory,
    jobsDirectory: resolve(text('JOBS_DIR') ?? join(dataDirectory, 'jobs')),
    siteFile: path('SITE_FILE') ?? DEMONSTRATION_SITE,
    pluginsDirectory: path('PLUGINS_DIR'),
    executorHost: name('EXECUTOR_HOST'),
    publicUrl: publicUrl('PUBLIC_URL'),
    hosts: hosts('HOSTS'),
    trustProxy: trusted('TRUST_PROXY'),
    logLevel: logLevel ?? 'info',
    logFormat,
    maxBodyKib: number('MAX_BODY_KIB', 256, [1, 16_384]),
  });
  return problems.length === 0 ? { ok: true, settings } : { ok: false, problems };
}

/** Can paths be put behind it? */
function isBase(text: string): boolean {
  const { username, password } = URL.parse(text) ?? {};
  return isUrl(text, ['http:', 'https:']) && !/[?#]/.test(text) && !username && !password;
}

/**
 * Does Express take it in `trust proxy`? Express also takes `1`, which is the address 0.0.0.1 there
 * and not a number of proxies.
 */
function isTrustable(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [, address = '', range = '32'] = /^([^/]*)(?:\/(.*))?$/.exec(text) ?? [];
  if (isIPv4(address) && isIPv4(range)) return isMask(range);
  const most = isIPv4(address) ? 32 : isIPv6(address) ? 128 : 0;
  return /^\d{1,3}$/.test(range) && Number(range) >= 1 && Number(range) <= most;
}

function isMask(address: string): boolean {
  const bits = address.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
  return /^1+0*$/.test(bits.join(''));
}

/** Does libpq read several servers here? No driver of ours does. */
function hasSeveralHosts(text: string): boolean {
  const [, authority = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)/.exec(text) ?? [];
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  return hosts.includes(',') || /[?&]host=[^&]*(?:,|%2c)/i.test(text);
}

function isUrl(text: string, schemes: readonly string[]): boolean {
  return schemes.includes(URL.parse(text)?.protocol ?? '');
}
