import { Piscina } from 'piscina';
import { Problem, type Fault } from '../../words/problem.ts';
import { readDocument } from './document.ts';

/** Reads the documents of requests without blocking the event loop. */
export type Documents = {
  /** @throws Problem `body-unreadable` (400), or `not-ready` (503) while too many long ones wait */
  readonly read: (bytes: Uint8Array, isJson: boolean) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** The answer of the thread, as JSON: a thread reads JSON faster than a copied object. */
export type ThreadAnswer =
  | { readonly json: string }
  | { readonly refused: string; readonly errors: readonly Fault[] | undefined };

/** The task of the thread. */
export type ThreadTask = {
  readonly bytes: Uint8Array;
  readonly isJson: boolean;
  readonly most: number;
};

/**
 * Largest document that is read at once: 16 KiB of the worst YAML take 10 ms of a slow core, 256
 * KiB take 170.
 */
const AT_ONCE = 16 * 1024;
/**
 * An ask has tens of values; a notebook with its outputs has a few for each line when it is sent as
 * an object.
 */
const VALUES_PER_KIB = 100;
/** A document of 16 MiB takes 10 s of a slow core. */
const LIMIT_MS = 30_000;
const MOST_WAITING = 32;

/** @param maxKib largest body */
export function openDocuments(maxKib: number): Documents {
  const most = maxKib * VALUES_PER_KIB;
  const pool = new Piscina<ThreadTask, ThreadAnswer>({
    filename: new URL('../../../workers/document.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: MOST_WAITING,
    idleTimeout: 60_000,
    env: {},
    execArgv: ['--no-warnings'],
    resourceLimits: { maxOldGenerationSizeMb: Math.max(128, Math.ceil(maxKib / 8)) },
  });
  const inThread = async (bytes: Uint8Array, isJson: boolean): Promise<ThreadAnswer> => {
    try {
      return await pool.run(
        { bytes: new Uint8Array(bytes), isJson, most },
        { signal: AbortSignal.timeout(LIMIT_MS) },
      );
    } catch (error) {
      if (pool.queueSize >= MOST_WAITING)
        throw new Problem('not-ready', 'Too many long documents wait to be read; try again soon.', {
          headers: { 'Retry-After': '5' },
        });
      if (error instanceof Error && error.name === 'AbortError')
        throw new Problem('body-unreadable', 'The body takes too long to read.');
      throw error;
    }
  };
  return {
    read: async (bytes, isJson) => {
      if (bytes.length <= AT_ONCE) return readDocument(bytes, isJson, most);
      const answer = await inThread(bytes, isJson);
      if ('json' in answer) return JSON.parse(answer.json);
      throw new Problem(
        'body-unreadable',
        answer.refused,
        answer.errors && { errors: answer.errors },
      );
    },
    close: () => pool.destroy(),
  };
}
