import { Piscina } from 'piscina';
import { Problem, type Fault } from '../../words/problem.ts';
import { openMapping, type XmlMapping } from '../../xml/mapping.ts';
import { readDocument, type BodyFormat } from './document.ts';

/** Reads the documents of requests without blocking the event loop. */
export type Documents = {
  /** @throws Problem `body-unreadable` (400), or `not-ready` (503) while too many long ones wait */
  readonly read: (bytes: Uint8Array, format: BodyFormat, at?: BodyPlace) => Promise<unknown>;
  /** how documents look in XML */
  readonly mapping: XmlMapping;
  readonly close: () => Promise<void>;
};

/** Where a body was sent; the contract knows what it may be in XML. */
export type BodyPlace = { readonly method: string; readonly path: string };

/** The answer of the thread, as JSON: a thread reads JSON faster than a copied object. */
export type ThreadAnswer =
  | { readonly json: string }
  | { readonly refused: string; readonly errors: readonly Fault[] | undefined };

/** The task of the thread. */
export type ThreadTask = {
  readonly bytes: Uint8Array;
  readonly format: BodyFormat;
  readonly at: BodyPlace | undefined;
  readonly most: number;
};

/** What the thread begins with. */
export type ThreadStart = { readonly contract: object };

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

/**
 * @param maxKib largest body
 * @param contract the contract as data, for XML; without it, documents in XML have no schema
 */
export function openDocuments(maxKib: number, contract: object = {}): Documents {
  const mapping = openMapping(contract);
  const most = maxKib * VALUES_PER_KIB;
  const pool = new Piscina<ThreadTask, ThreadAnswer>({
    filename: new URL('../../../workers/document.ts', import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    maxQueue: MOST_WAITING,
    idleTimeout: 60_000,
    env: {},
    workerData: { contract } satisfies ThreadStart,
    execArgv: ['--no-warnings'],
    resourceLimits: { maxOldGenerationSizeMb: Math.max(128, Math.ceil(maxKib / 8)) },
  });
  const inThread = async (
    bytes: Uint8Array,
    format: BodyFormat,
    at: BodyPlace | undefined,
  ): Promise<ThreadAnswer> => {
    try {
      return await pool.run(
        { bytes: new Uint8Array(bytes), format, at, most },
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
    mapping,
    read: async (bytes, format, at) => {
      if (bytes.length <= AT_ONCE)
        return readDocument(bytes, format, most, at && mapping.sent(at.method, at.path));
      const answer = await inThread(bytes, format, at);
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
