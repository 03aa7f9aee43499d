/**
 * The sandbox child: runs rules in an isolate, in a process that may be killed at any time.
 *
 * src/sandbox/child.ts starts it without its types, since a `--jitless` process cannot strip them;
 * so it imports nothing of the project at run time. It has an empty environment, and file access only
 * to the isolate's native addon.
 */
import { availableParallelism, loadavg } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import ivm from 'isolated-vm';
import type { FromChild, ToChild } from '../src/sandbox/messages.ts';

type Start = Extract<ToChild, { kind: 'start' }>;
type Failed = Extract<FromChild, { kind: 'failed' }>;
type Functions = {
  readonly isolate: ivm.Isolate;
  readonly load: ivm.Reference;
  readonly decide: ivm.Reference;
};

/**
 * Rules cannot reach JavaScript; if one does, it cannot make code from text. The engine got the one
 * constructor it needs when its modules were evaluated.
 */
const LOCK = `
  for (const sample of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    const closed = { value: undefined, writable: false, configurable: false };
    Object.defineProperty(Object.getPrototypeOf(sample), 'constructor', closed);
  }
  for (const name of ['eval', 'Function', 'WebAssembly', 'Atomics', 'SharedArrayBuffer', 'console'])
    delete globalThis[name];
`;

/** The most characters that the planner reads; 16 destinations with their trace are 12,500. */
const LONGEST_ANSWER = 4_000_000;

/**
 * A timeout of an isolate counts wall time, not processor time. On a machine with more processes
 * than processors, a limit of 200 ms stopped innocent decisions, so the limit grows with the load,
 * at most to this. The planner's own limit for an answer is later (GRACE_MS in
 * src/sandbox/queue.ts).
 */
const LONGEST_STRETCH_MS = 600;

/**
 * How often the load is read: it is an average over a minute, and reading takes a file of the
 * kernel.
 */
const LOAD_READ_MS = 1000;
let crowd = 0;
let crowdReadAt = -Infinity;

let start: Start | undefined;
/** The isolate with the rules in force, and the request that loaded them. */
let engine: Functions | undefined;
let good: string | null = null;
/** An isolate for the first rules. */
let prepared: Functions | undefined;
/**
 * Another isolate with the same rules, ready or being made, which takes over when the first is
 * stopped; undefined if it could not be made.
 */
let spare: Promise<Functions | undefined> | undefined;

/**
 * The end of all earlier messages: each waits for them, although rules are loaded on other threads.
 */
let turn = Promise.resolve();
process.on('message', (message: unknown) => {
  if (!isToChild(message)) throw new Error('a message that no planner sends');
  turn = turn.then(() => receive(message));
});
// The child is useless without its planner.
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches every process of the group; the planner still needs answers and then ends its
// child.
process.on('SIGINT', () => undefined);

const collect = collector();

/**
 * Characters of answers since the last garbage collection, and their limit: the C library's heap
 * grows by their size and never shrinks. A collection takes 6.5 ms of processor time, once for
 * 2,000 answers.
 */
let untidied = 0;
const MOST_UNTIDIED = 4_000_000;

/** The answer of rules is too long. */
class TooLong extends Error {}

/** Is it a message of this version? The planner is trusted. */
function isToChild(message: unknown): message is ToChild {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return false;
  if (message.kind === 'start')
    return (
      'modules' in message && 'limits' in message && 'flags' in message && 'restore' in message
    );
  if (message.kind === 'load') return 'id' in message && 'request' in message;
  return message.kind === 'decide' && 'id' in message && 'about' in message && 'job' in message;
}

async function receive(message: ToChild): Promise<void> {
  switch (message.kind) {
    case 'start':
      start = message;
      for (const flag of message.flags) setFlagsFromString(flag);
      good = message.restore;
      // Where isolates do not work, the child must end before it says that it is ready.
      if (good === null) prepared = await isolateOf(started());
      await replace();
      return;
    case 'load':
      await load(message.id, message.request);
      tidy();
      return;
    case 'decide':
      await decide(message.id, message.about, message.job);
      if (untidied > MOST_UNTIDIED) tidy();
      return;
    default:
      message satisfies never;
  }
}

/** Replaces the isolate in force by another with the same rules. */
async function replace(): Promise<void> {
  const next = spare;
  spare = undefined;
  dispose(engine);
  engine = good === null ? undefined : ((await next) ?? (await loaded(good)));
  ready();
}

function dispose(functions: Functions | undefined): void {
  if (functions?.isolate.isDisposed === false) functions.isolate.dispose();
}

/** A new isolate with rules that were loaded before. */
async function loaded(request: string): Promise<Functions> {
  const functions = await isolateOf(started());
  try {
    textOf(await functions.load.apply(undefined, [request], { timeout: started().limits.loadMs }));
    return functions;
  } catch (error) {
    dispose(functions);
    throw error;
  }
}

/**
 * A new isolate with the engine's modules and no rules. The library makes it on its own thread, so
 * that the isolate in force goes on deciding.
 */
async function isolateOf({ modules, limits }: Start): Promise<Functions> {
  const isolate = new ivm.Isolate({
    memoryLimit: limits.memoryMb,
    onCatastrophicError: () => process.abort(),
  });
  const context = await isolate.createContext();
  const compiled = new Map<string, ivm.Module>();
  const imports = new Map<ivm.Module, { readonly [specifier: string]: string }>();
  for (const { name, code, imports: specifiers } of modules) {
    const module = await isolate.compileModule(code, { filename: `file:///${name}` });
    compiled.set(name, module);
    imports.set(module, specifiers);
  }
  const entry = defined(compiled.get(modules[0]?.name ?? ''), 'the entry module');
  await entry.instantiate(context, (specifier, referrer) =>
    defined(compiled.get(imports.get(referrer)?.[specifier] ?? ''), specifier),
  );
  await entry.evaluate({ timeout: limits.loadMs });
  for (const module of compiled.values()) if (module !== entry) module.release();
  await context.eval(LOCK, { timeout: limits.loadMs });
  const load: ivm.Reference = await entry.namespace.get('load', { reference: true });
  const decideReference: ivm.Reference = await entry.namespace.get('decide', { reference: true });
  return { isolate, load, decide: decideReference };
}

function defined<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is missing`);
  return value;
}

function started(): Start {
  return defined(start, 'the start message');
}

/** The text result of a call. */
function textOf(result: unknown): string {
  if (typeof result !== 'string') throw new Error('the isolate gave no text');
  untidied += result.length;
  if (result.length > LONGEST_ANSWER)
    throw new TooLong(
      `the answer is ${result.length} characters long, more than ${LONGEST_ANSWER}`,
    );
  return result;
}

/** Reports that the child answers questions, and begins to make the spare isolate. */
function ready(): void {
  send({ kind: 'ready', hasSpare: false });
  void spare?.then(dispose);
  spare = undefined;
  if (good === null || !started().limits.spare) return;
  const made = loaded(good).then(
    (functions) => {
      tidy();
      if (spare === made) send({ kind: 'ready', hasSpare: true });
      return functions;
    },
    () => undefined,
  );
  spare = made;
}

function send(message: FromChild): void {
  process.send?.(message);
}

/**
 * Collects garbage. V8 does not count the texts from isolates and the remains of isolates as memory
 * of this heap, so it would wait until they are a gigabyte.
 */
function tidy(): void {
  untidied = 0;
  collect();
}

async function load(id: number, request: string): Promise<void> {
  const before = performance.now();
  const { limits } = started();
  let functions: Functions | undefined;
  try {
    functions = prepared ?? (await isolateOf(started()));
    prepared = undefined;
    const answer = textOf(
      await functions.load.apply(undefined, [request], { timeout: limits.loadMs }),
    );
    // The engine writes `ok` first.
    const isGood = answer.startsWith('{"ok":true');
    if (isGood) {
      dispose(engine);
      engine = functions;
      good = request;
    } else {
      dispose(functions);
    }
    send({ kind: 'answered', id, answer, milliseconds: performance.now() - before });
    if (isGood) ready();
  } catch (error) {
    send(failure(id, error, functions?.isolate, limits.loadMs));
    dispose(functions);
  }
}

/** The answer for an error: a stopped call, or a broken engine. */
function failure(
  id: number,
  error: unknown,
  isolate: ivm.Isolate | undefined,
  limitMs: number,
): Failed {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof TooLong) return { kind: 'failed', id, code: 'rule-memory', message: text };
  if (isolate?.isDisposed === true) {
    const message = `the rules took more than ${started().limits.memoryMb} MB`;
    return { kind: 'failed', id, code: 'rule-memory', message };
  }
  if (text.includes('timed out')) {
    return {
      kind: 'failed',
      id,
      code: 'rule-timeout',
      message: `the rules took more than ${limitMs} ms`,
    };
  }
  return { kind: 'failed', id, code: 'engine-error', message: text.slice(0, 2_000) };
}

async function decide(id: number, about: string, job: string): Promise<void> {
  const before = performance.now();
  const { limits } = started();
  if (engine === undefined) {
    send({ kind: 'failed', id, code: 'no-rules', message: 'no rules are loaded' });
    return;
  }
  try {
    const answer = textOf(
      engine.decide.applySync(undefined, [about, job], { timeout: stretched(limits.decisionMs) }),
    );
    send({ kind: 'answered', id, answer, milliseconds: performance.now() - before });
  } catch (error) {
    const failed = failure(id, error, engine.isolate, limits.decisionMs);
    send(failed);
    // V8 skips every `finally` of a stopped call, so the engine's state may be inconsistent and no
    // later decision may use it.
    if (failed.code !== 'engine-error') await replace();
  }
}

function stretched(limitMs: number): number {
  if (performance.now() - crowdReadAt > LOAD_READ_MS) {
    crowd = (loadavg()[0] ?? 0) / availableParallelism();
    crowdReadAt = performance.now();
  }
  return limitMs + Math.round(Math.min(LONGEST_STRETCH_MS, limitMs * Math.max(0, crowd - 1)));
}

/** V8's `gc`, taken from a context of its own: the flag alone would expose it to every isolate. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return typeof gc === 'function' ? () => void gc() : () => undefined;
}
