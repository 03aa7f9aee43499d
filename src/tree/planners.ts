import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { CannotStart } from '../words/cannot-start.ts';
import { limitConcurrency } from '../words/concurrency.ts';
import { openGathering } from './gathering.ts';
import { keepProcess, type KeptProcess } from './keep.ts';
import { openRota, type Rota } from './rota.ts';
import type { FromPlanner, ReadyPlanner, ToPlanner } from './messages.ts';

/** The planners of a service, which share its port. */
export type Planners = ReadyPlanner & {
  /** Each reads its files again, one after the other. */
  readonly reload: () => Promise<void>;
  /** Each answers what it has begun, and ends. */
  readonly stop: () => Promise<void>;
};

/** A planner that answers. */
type Member = {
  readonly send: (message: ToPlanner) => void;
  /** of the latest reload: resolves when it has read its files, or has ended */
  reloaded: PromiseWithResolvers<void>;
};

/**
 * Options of Node for a planner, which every way to start one has. V8 would choose semi-spaces of 64
 * MiB for new objects; with 16 MiB a planner has 199 MiB instead of 299 after 60,000 asks, no two
 * alike, and takes no longer for each. With 8 MiB it takes a tenth longer (test/bench/sizing).
 */
export const PLANNER_OPTIONS = ['--no-warnings', '--max-semi-space-size=16'] as const;

const PROGRAM = fileURLToPath(new URL('../../workers/planner.ts', import.meta.url));

/**
 * Starts several planners that share a port: Linux gives each connection to one of them. One that
 * dies is started again, while the others go on answering.
 *
 * node:cluster would share connections more evenly, but those that it was handing to a planner that
 * died wait for ever.
 *
 * @throws CannotStart in the words of the first planner that cannot start
 */
export async function keepPlanners(
  count: number,
  environment: NodeJS.ProcessEnv,
  log: Logger,
): Promise<Planners> {
  /** by number, the oldest first */
  const members = new Map<number, Member>();
  const kept: KeptProcess[] = [];
  const rotas = new Map<string, Rota<Member>>();
  const rotaOf = (topic: string): Rota<Member> => {
    const known = rotas.get(topic) ?? openRota(({ send }) => send({ kind: 'turn', topic }));
    rotas.set(topic, known);
    return known;
  };
  const gathering = openGathering(() => [...members.values()].map(({ send }) => send));
  let isStarted = false;

  const oneByOne = limitConcurrency(1);
  const reload = (): Promise<void> =>
    oneByOne(async () => {
      for (const member of members.values()) {
        member.reloaded = Promise.withResolvers();
        member.send({ kind: 'reload' });
        await member.reloaded.promise;
      }
    });

  const begin = (number: number, first: PromiseWithResolvers<ReadyPlanner>) => {
    const child = fork(PROGRAM, {
      env: { ...environment, PLANNER_NUMBER: `${number}` },
      execArgv: [...PLANNER_OPTIONS, ...process.execArgv],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const member: Member = {
      send: (message) => {
        // One that ends meanwhile is told nothing.
        if (child.connected) child.send(message, () => undefined);
        else member.reloaded.resolve();
      },
      reloaded: Promise.withResolvers(),
    };
    child.on('message', (message: FromPlanner) => {
      switch (message.kind) {
        case 'ready':
          members.set(number, member);
          first.resolve(message);
          // It has read the files as they are now, which the others may not have.
          if (isStarted) void reload();
          return;
        case 'refused':
          if (isStarted) log.error({ planner: number, why: message.message }, 'it cannot start');
          first.reject(new CannotStart(message.message));
          return;
        case 'reloaded':
          member.reloaded.resolve();
          return;
        case 'told':
          for (const other of members.values()) if (other !== member) other.send(message);
          return;
        case 'wants turn':
          rotaOf(message.topic).want(member);
          return;
        case 'turn over':
          rotaOf(message.topic).over(member);
          return;
        case 'wants metrics':
          gathering.begin((texts) => member.send({ kind: 'metrics', id: message.id, texts }));
          return;
        case 'measured':
          gathering.add(message.id, message.text);
      }
    });
    child.once('exit', () => {
      members.delete(number);
      for (const { gone } of rotas.values()) gone(member);
      member.reloaded.resolve();
      first.reject(new Error(`planner ${number} ended before it was ready`));
    });
    return child;
  };

  /** @returns when it is ready for the first time */
  const start = (number: number): Promise<ReadyPlanner> => {
    const first = Promise.withResolvers<ReadyPlanner>();
    kept.push(keepProcess(`planner ${number}`, () => begin(number, first), log));
    return first.promise;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(kept.map((one) => one.stop()));
  };
  try {
    // The first one says whether they can start, and hands the site over.
    const { url, site, warning } = await start(1);
    await Promise.all(Array.from({ length: count - 1 }, (_, index) => start(index + 2)));
    isStarted = true;
    return { url, site, warning, reload, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
