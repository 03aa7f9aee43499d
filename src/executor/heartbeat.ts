import type { EventEmitter } from 'node:events';
import type { Database } from '../db/client.ts';
import type { JobRunner } from '../runners/port.ts';

/**
 * An executor counts as dead this long after its last sign of life, and its messages go to others;
 * seconds.
 */
const LEASE_S = 10;
/** How often an engine is asked whether it answers, and how long it may take. */
const ASK_EVERY_MS = 15_000;
const PATIENCE_MS = 10_000;
/** How often messages are looked for that nobody works on. */
const UNLOCK_EVERY_MS = 15_000;

/** The part of a runner that this file uses. */
type Probed = Pick<JobRunner, 'probe'>;

/** What the queue of this process has, from its events. */
export type QueueHands = {
  /** the ids under which it locks messages */
  readonly workers: ReadonlySet<string>;
  /** the messages that it works on */
  readonly messages: ReadonlySet<string>;
};

export function handsOf(events: EventEmitter): QueueHands {
  const workers = new Set<string>();
  const messages = new Set<string>();
  const add = (id: unknown): void => void (typeof id === 'string' && workers.add(id));
  events.on('pool:create', ({ workerPool }) => add(Object(workerPool).id));
  events.on('worker:create', ({ worker }) => add(Object(worker).workerId));
  events.on('job:start', ({ job }) => messages.add(String(Object(job).id)));
  events.on('job:complete', ({ job }) => messages.delete(String(Object(job).id)));
  return { workers, messages };
}

type HeartbeatParts = {
  readonly database: Database;
  /** name of this executor in the book */
  readonly name: string;
  readonly host: string;
  readonly hands: QueueHands;
  /** by destination */
  readonly runners: ReadonlyMap<string, Probed>;
  /** milliseconds, never going back */
  readonly clock: () => number;
};

/** Gives signs of life: `beat_executor` and `unlock_unheard` in prisma/functions.sql. */
type Heartbeat = {
  readonly beat: () => Promise<void>;
  /**
   * The last sign, after the queue has stopped: messages that are still locked go to others at
   * once.
   */
  readonly end: () => Promise<void>;
};

export function openHeartbeat({
  database,
  name,
  host,
  hands: { workers, messages },
  runners,
  clock,
}: HeartbeatParts): Heartbeat {
  const engines = openRounds(runners);
  const write = async (leaseS: number): Promise<void> => {
    await database.$executeRaw`
      SELECT beat_executor(${name}, ${host}, make_interval(secs => ${leaseS}),
        ${[...workers]}::text[], ${JSON.stringify(engines.known())}::jsonb)`;
  };
  let unlockedAt = -Infinity;
  /** Gives back messages whose lock was committed and whose answer the database never sent. */
  const unlock = async (now: number): Promise<void> => {
    if (now - unlockedAt < UNLOCK_EVERY_MS) return;
    unlockedAt = now;
    await database.$executeRaw`
      SELECT unlock_unheard(${[...workers]}::text[], ${[...messages]}::text[]::bigint[])`;
  };
  return {
    beat: async () => {
      engines.round(clock());
      await write(LEASE_S);
      await unlock(clock());
    },
    end: () => write(0),
  };
}

/** Asks engines now and then whether they answer; nobody waits for them. */
function openRounds(runners: ReadonlyMap<string, Probed>) {
  const answers = new Map<Probed, boolean>();
  const asking = new Set<Probed>();
  let askedAt = -Infinity;
  const ask = async (runner: Probed): Promise<void> => {
    if (asking.has(runner)) return;
    asking.add(runner);
    answers.set(runner, await within(PATIENCE_MS, runner.probe?.() ?? Promise.resolve()));
    asking.delete(runner);
  };
  return {
    round: (now: number): void => {
      if (now - askedAt < ASK_EVERY_MS) return;
      askedAt = now;
      for (const runner of new Set(runners.values())) void ask(runner);
    },
    /** By destination, as far as their engines were asked. */
    known: (): Readonly<Record<string, boolean>> =>
      Object.fromEntries(
        [...runners].flatMap(([destination, runner]) => {
          const answer = answers.get(runner);
          return answer === undefined ? [] : [[destination, answer] as const];
        }),
      ),
  };
}

async function within(patience: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, patience, false);
  });
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
