import type { Logger } from 'pino';
import { digestOf } from '../sandbox/open.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { compareWithRules } from '../site/agree.ts';
import { ConfigurationError, printProblem } from '../site/load.ts';
import { originName } from '../site/rule-origin.ts';
import type { Site } from '../site/site.ts';
import { tryRules, wrongWith, type RulesVerdict } from './try-rules.ts';
import { openSwappableRules, type SwappableRules } from './hot-swap.ts';
import type { CopyStore } from './saved-copies.ts';
import { openRuleReader, type ReaderOptions, type RulesReading } from './read.ts';
import type { FetchWhen } from './remote.ts';
import {
  currentRules,
  keptRules,
  type InForce,
  type ReloadCounts,
  type RulesState,
} from './state.ts';
import { watchFiles, WATCH_TIMES, type Watch, type WatchTimes } from './watch.ts';

/** Keeps the rules of a site in force and follows their files and URLs. */
export type RulesKeeper = {
  /** asks the rules in force */
  readonly sandbox: SwappableRules['sandbox'];
  readonly state: () => RulesState;
  readonly counts: () => ReloadCounts;
  /** Reads all files and URLs now. Never throws; `state` has the result. */
  readonly reload: () => Promise<void>;
  /** Reads what may have changed. Never throws. */
  readonly refresh: () => Promise<void>;
  /** Why a site contradicts the rules in force. */
  readonly disagreements: (site: Site) => readonly string[];
  /** Uses this site for later checks of rules; the origins of the rules stay the same. */
  readonly hold: (site: Site) => void;
  readonly close: () => Promise<void>;
};

type KeeperParts = Omit<ReaderOptions, 'clock'> & {
  readonly site: Site;
  readonly copies: CopyStore;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** makes a sandbox for one set of rules */
  readonly open: () => Sandbox;
  /** milliseconds since 1970 */
  readonly clock: () => number;
  /** for tests */
  readonly times?: WatchTimes;
};

/** Delay before rules are tried again if only the sandbox failed. */
const RETRY_MS = 60_000;
/** The shortest delay between requests for an overdue URL. */
const LEAST_WAIT_MS = 500;
/** The most warnings in one line of the log; `planner check` prints all. */
const MOST_DOUBTS = 50;
/**
 * The longest delay of a timer, whose limit is 24 days; when it fires early, it finds nothing due
 * and waits again.
 */
const LONGEST_WAIT_MS = 86_400_000;

type Readable = Extract<RulesReading, { ok: true }>;

/**
 * Loads the rules of a site; at a start with a host that serves unusable rules, their last good
 * copies. Then watches files and asks URLs again. Changed rules are loaded in another sandbox and
 * put in force only if they have no errors.
 *
 * @throws ConfigurationError if the rules cannot be used and there are no good copies
 */
export async function openKeeper({
  site: first,
  copies,
  log,
  open,
  clock,
  resolver,
  tags,
  times = WATCH_TIMES,
}: KeeperParts): Promise<RulesKeeper> {
  let site = first;
  const reader = openRuleReader(site, { copies, clock, resolver, ...(tags && { tags }) });
  const swappable = openSwappableRules(open);
  const counts = { loaded: 0, refused: 0 };
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let state: RulesState;
  let last: RulesVerdict | undefined;

  const keepCopies = async ({ copies: fetched }: Readable): Promise<void> => {
    for (const copy of fetched) {
      await copies
        .keep(copy)
        .catch((err: unknown) =>
          log.warn({ err, url: copy.url }, 'the copy of a rule file could not be written'),
        );
    }
  };

  const putInForce = async (
    tried: Extract<RulesVerdict, { kind: 'ready' }>,
    reading: Readable,
  ): Promise<InForce> => {
    tried.adopt();
    const { digest, destinations, tools } = tried.rules;
    const { isEnclosed, hasJit } = swappable.sandbox.stats();
    const what = {
      digest,
      tools,
      destinations: destinations.length,
      ms: Math.round(tried.milliseconds),
      files: site.rules.map(originName),
      isEnclosed,
      hasJit,
    };
    log.info(what, 'rules are loaded');
    if (tried.doubts.length > 0)
      log.warn(
        { warnings: tried.doubts.slice(0, MOST_DOUBTS), all: tried.doubts.length },
        'the rules have warnings',
      );
    for (const message of tried.warnings)
      log.warn({ message }, 'site file and rule files disagree');
    await keepCopies(reading);
    return { rules: tried.rules, since: clock() };
  };

  /** Loads the first rules, if necessary with the last good copies of hosts' files. */
  const begin = async (): Promise<RulesState> => {
    const reading = await reader.read('now');
    if (!reading.ok) throw new ConfigurationError(reading.problems);
    const tried = await tryRules(swappable, site, reading.sources);
    last = tried;
    if (tried.kind === 'ready')
      return currentRules(await putInForce(tried, reading), reading.troubles);
    const before = await reader.read('kept');
    if (before.ok && digestOf(before.sources) !== digestOf(reading.sources)) {
      const again = await tryRules(swappable, site, before.sources);
      if (again.kind === 'ready')
        return keptRules(await putInForce(again, before), wrongWith(tried));
    }
    if (tried.kind === 'refused') throw new ConfigurationError(tried.problems);
    throw new Error(tried.message);
  };

  const withReading = async (reading: Readable): Promise<RulesState> => {
    const digest = digestOf(reading.sources);
    if (digest === state.inForce.rules.digest) return currentRules(state.inForce, reading.troubles);
    // Rules that were refused are not loaded again.
    const tried =
      last?.kind === 'refused' && last.digest === digest
        ? last
        : await tryRules(swappable, site, reading.sources);
    if (tried !== last) counts[tried.kind === 'ready' ? 'loaded' : 'refused'] += 1;
    last = tried;
    if (tried.kind === 'ready')
      return currentRules(await putInForce(tried, reading), reading.troubles);
    return keptRules(state.inForce, [...wrongWith(tried), ...reading.troubles.map(printProblem)]);
  };

  const settle = (next: RulesState): void => {
    const isNews = next.problems.join('\n') !== state.problems.join('\n');
    state = next;
    if (!isNews) return;
    const {
      problems,
      inForce: {
        rules: { digest },
      },
    } = next;
    if (next.kind === 'kept')
      log.error(
        { problems, digest },
        'the rules cannot be loaded; the last good ones stay in force',
      );
    else if (next.kind === 'stale')
      log.warn({ problems, digest }, 'rule files could not be fetched; their last copies are used');
    else log.info({ digest }, 'the rules are valid again');
  };

  const once = async (asking: FetchWhen): Promise<void> => {
    if (isClosed) return;
    clearTimeout(timer);
    const reading = await reader.read(asking);
    if (!reading.ok && state.kind !== 'kept') counts.refused += 1;
    const next = reading.ok
      ? await withReading(reading)
      : keptRules(state.inForce, reading.problems.map(printProblem));
    if (isClosed) return;
    settle(next);
    schedule();
  };

  let running: Promise<void> = Promise.resolve();
  const reload = (asking: FetchWhen): Promise<void> => {
    running = running
      .then(() => once(asking))
      .catch((err: unknown) => log.error({ err }, 'the rules could not be reloaded'));
    return running;
  };
  const schedule = (): void => {
    const retry = last?.kind === 'failed' ? clock() + RETRY_MS : Infinity;
    const at = Math.min(reader.nextAsk() ?? Infinity, retry);
    if (at === Infinity || isClosed) return;
    timer = setTimeout(
      () => void reload('due'),
      Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, at - clock())),
    );
    timer.unref();
  };

  let watch: Watch | undefined;
  try {
    state = await begin();
    if (state.kind !== 'current')
      log.warn(
        { problems: state.problems },
        'rule files of hosts cannot be used; their last good copies are in force',
      );
    const paths = site.rules.flatMap((origin) => (origin.kind === 'file' ? [origin.path] : []));
    if (paths.length > 0) watch = await watchFiles(paths, times, () => void reload('due'));
    schedule();
  } catch (error) {
    await swappable.close();
    throw error;
  }
  return {
    sandbox: swappable.sandbox,
    state: () => state,
    counts: () => counts,
    reload: () => reload('now'),
    refresh: () => reload('due'),
    disagreements: (other) =>
      compareWithRules(other, state.inForce.rules)
        .filter(({ severity }) => severity === 'error')
        .map(({ message }) => message),
    hold: (other) => {
      site = other;
      // Rules that contradicted the old site may agree with the new one.
      last = undefined;
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await watch?.close();
      await swappable.close();
      await running;
    },
  };
}
