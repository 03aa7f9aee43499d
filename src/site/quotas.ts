import {
  mebibytes,
  millicores,
  seconds,
  type Mebibytes,
  type Millicores,
  type Seconds,
} from '../words/units.ts';
import type { Node, Reader } from '../yaml/index.ts';
import { readCores, readDuration, readSize } from '../yaml/fields.ts';

/** The most that one may have; undefined: no limit. */
export type QuotaLimits = {
  /** answers with open offers */
  readonly holds: number | undefined;
  /** unfinished jobs, and answers with open offers, each of which could become a job */
  readonly jobs: number | undefined;
  readonly cores: Millicores | undefined;
  readonly memory: Mebibytes | undefined;
  /** GPUs × seconds within `window`, reserved or used */
  readonly gpuSeconds: number | undefined;
  readonly window: Seconds;
  readonly asksPerMinute: number | undefined;
  /** share of each destination's capacity × the longest run offered, reserved from now on */
  readonly share: number | undefined;
  /** results of jobs until they are removed */
  readonly results: Mebibytes | undefined;
  /** bytes of records of asks, in the database */
  readonly storedBytes: number | undefined;
};

/**
 * A quota of each user (or one, by name), of all anonymous clients together, of a role's people
 * together, or of the whole site.
 */
export type Quota = {
  readonly for: 'user' | 'anonymous' | 'role' | 'site';
  readonly name: string | undefined;
  /**
   * owners (`user:…`, `oidc:ISSUER SUBJECT`) that are one person, called `name`; undefined: `name`
   * is the user or the owner
   */
  readonly identities: readonly string[] | undefined;
  readonly limits: QuotaLimits;
};

/** Is it the owner column of a client with a credential? */
export function isOwner(text: string): boolean {
  return /^(?:user:.|oidc:\S+ .)/.test(text);
}

const KEYS = [
  'for',
  'name',
  'identities',
  'holds',
  'jobs',
  'cores',
  'memory',
  'gpu-hours',
  'window',
  'asks-per-minute',
  'share',
  'results',
  'stored',
] as const;
const LIMITS = [
  'holds',
  'jobs',
  'cores',
  'memory',
  'gpu-hours',
  'asks-per-minute',
  'share',
  'results',
  'stored',
] as const;
const FOR = ['user', 'anonymous', 'role', 'site'] as const;
const MOST = 1_000_000;
/** The most answers with open offers of one identity. */
export type HoldBudget = {
  readonly named: number;
  /** everybody without a credential together */ readonly anonymous: number;
};

/** Default: more than people and scripts leave open, but a limit of what one of them can hold. */
export const HOLD_BUDGET: HoldBudget = { named: 50, anonymous: 500 };
/** Shares of the work of each destination. */
export type Shares = {
  readonly named: number;
  /** everybody without a credential together */ readonly anonymous: number;
};

/** Default: whatever one identity reserves, others find room. */
export const SHARES: Shares = { named: 0.5, anonymous: 0.5 };
const MEBIBYTE = 2 ** 20;
const NO_LIMITS: QuotaLimits = {
  holds: undefined,
  jobs: undefined,
  cores: undefined,
  memory: undefined,
  gpuSeconds: undefined,
  window: seconds(7 * 86_400),
  asksPerMinute: undefined,
  storedBytes: undefined,
  share: undefined,
  results: undefined,
};
/**
 * Default: ten asks a second and half a GiB of records for each user, and five times that for all
 * anonymous clients together.
 */
export const DEFAULT_QUOTAS: readonly Quota[] = [
  {
    for: 'user',
    name: undefined,
    identities: undefined,
    limits: { ...NO_LIMITS, asksPerMinute: 600, storedBytes: 512 * MEBIBYTE },
  },
  {
    for: 'anonymous',
    name: undefined,
    identities: undefined,
    limits: { ...NO_LIMITS, asksPerMinute: 3000, storedBytes: 2048 * MEBIBYTE },
  },
];
/** Reservations are kept for 30 days, so a longer window cannot be summed. */
const LONGEST_WINDOW = 30 * 86_400;

/** Reads the section `quotas`. */
export function readQuotas(reader: Reader, node: Node | undefined): readonly Quota[] {
  const items = reader.expectSeq(node, 'quotas')?.items ?? [];
  const quotas = items.map((item, index) => readQuota(reader, item, `quotas[${index}]`));
  quotas.forEach((one, index) => {
    const twin = quotas.findIndex((other) => other?.for === one?.for && other?.name === one?.name);
    const item = items[index];
    if (one !== undefined && twin < index && item !== undefined)
      reader.problem(item, `quotas[${index}] repeats quotas[${twin}]`);
  });
  return quotas.filter((quota) => quota !== undefined);
}

function readQuota(reader: Reader, node: Node, what: string): Quota | undefined {
  const found = reader.fields(node, what, KEYS);
  if (found === undefined) return undefined;
  const count = (key: 'holds' | 'jobs' | 'asks-per-minute'): number | undefined =>
    reader.expectInt(found[key], `${what}.${key}`, {
      min: key === 'asks-per-minute' ? 1 : 0,
      max: MOST,
    });
  const hours = reader.expectNumber(found['gpu-hours'], `${what}.gpu-hours`, { min: 0, max: MOST });
  const whose = reader.expectOneOf(found.for, `${what}.for`, FOR);
  const name = reader.expectString(found.name, `${what}.name`);
  if (found.for === undefined)
    reader.problem(node, `${what} needs 'for', one of ${FOR.join(', ')}`);
  if (whose === 'role' && name === undefined)
    reader.problem(node, `${what} needs 'name', the role whose people share it`);
  if ((whose === 'site' || whose === 'anonymous') && found.name !== undefined)
    reader.problem(found.name, `${what}.name cannot be used for ${whose}`);
  if (found.identities !== undefined && (whose !== 'user' || name === undefined))
    reader.problem(found.identities, `${what}.identities belong to one user, so it needs 'name'`);
  if (LIMITS.every((key) => found[key] === undefined))
    reader.problem(node, `${what} limits nothing`, `one of ${LIMITS.join(', ')}`);
  if (found.window !== undefined && found['gpu-hours'] === undefined)
    reader.problem(found.window, `${what}.window is only for gpu-hours`);
  if (whose === 'role' && found.stored !== undefined)
    reader.problem(
      found.stored,
      `${what}.stored cannot be used for a role`,
      'it is counted for each owner: for user, anonymous or site',
    );
  const stored = found.stored && readSize(reader, found.stored, `${what}.stored`, mebibytes(0));
  const limits: QuotaLimits = {
    holds: count('holds'),
    jobs: count('jobs'),
    asksPerMinute: count('asks-per-minute'),
    cores: found.cores && readCores(reader, found.cores, `${what}.cores`, millicores(0)),
    memory: found.memory && readSize(reader, found.memory, `${what}.memory`, mebibytes(0)),
    gpuSeconds: hours === undefined ? undefined : Math.round(hours * 3600),
    share: readShare(reader, found.share, `${what}.share`),
    results: found.results && readSize(reader, found.results, `${what}.results`, mebibytes(0)),
    storedBytes: stored && stored * MEBIBYTE,
    window: readWindow(reader, found.window, `${what}.window`),
  };
  return (
    whose && {
      for: whose,
      name,
      identities: readIdentities(reader, found.identities, `${what}.identities`),
      limits,
    }
  );
}

function readShare(reader: Reader, node: Node | undefined, what: string): number | undefined {
  const text = reader.expectString(node, what, 'a percentage such as 25%');
  if (node === undefined || text === undefined) return undefined;
  const percent = /^(\d+(?:\.\d+)?)\s?%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100)
    return Number(percent) / 100;
  return reader.problem(
    node,
    `${what} cannot be '${text}'`,
    'a percentage above 0% and up to 100%, such as 25%',
  );
}

function readWindow(reader: Reader, node: Node | undefined, what: string): Seconds {
  const window = readDuration(reader, node, what, seconds(7 * 86_400));
  if (node !== undefined && window > LONGEST_WINDOW)
    reader.problem(node, `${what} must be at most P30D, since reservations are kept for 30 days`);
  return window;
}

/**
 * Reads owners. E-mails are not allowed: a second issuer may claim one, and whoever shares a quota
 * can use it up.
 */
function readIdentities(
  reader: Reader,
  node: Node | undefined,
  what: string,
): readonly string[] | undefined {
  const identities = reader.expectStrings(node, what);
  for (const one of identities ?? []) {
    if (node !== undefined && !isOwner(one))
      reader.problem(
        node,
        `${what} cannot have '${one}'`,
        "owners: 'user:NAME' of this site's own files, 'oidc:ISSUER SUBJECT' of an issuer",
      );
  }
  return identities;
}
