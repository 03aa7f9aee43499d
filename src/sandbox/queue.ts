import { startChild } from './child.ts';
import type { Child, ChildEnd, Hold } from './child.ts';
import { Enclosing } from './enclosure/enclosing.ts';
import type { FromChild, SandboxLimits, ToChild } from './messages.ts';
import type { ChildProgram } from './program.ts';
import type { Jit, SandboxFailure, SandboxStats } from './sandbox.ts';

/** An answer of the isolate: JSON, and its time. */
export type SandboxAnswer = {
  readonly kind: 'answer';
  readonly answer: string;
  readonly milliseconds: number;
};

/** A request without its number. */
type Request =
  | { readonly kind: 'load'; readonly request: string }
  | { readonly kind: 'decide'; readonly about: string; readonly job: string };

type Waiting = {
  readonly request: Request;
  readonly settle: (answer: SandboxAnswer | SandboxFailure) => void;
};

/** Most time for a child to start and compile the engine, ms. */
const START_MS = 10_000;
/**
 * A child that dies this often in a row without a question is started again only by the next
 * request.
 */
const MOST_DEATHS = 3;

/**
 * The requests of one sandbox and the child that answers them, in order. States:
 * - starting: until it is known whether the system holds children, requests wait for one that is
 * ready.
 * - running: a child is there; requests go to it at once, and are answered first come, first
 * served.
 * - down: the child died MOST_DEATHS times in a row during its start or without a question, or the
 * system does not hold it as the site requires; all requests fail, and the next one starts a child.
 * - closed: every request fails.
 * When the child dies, its current request fails and the next child gets all others. Any of those
 * may kill a child in turn.
 */
export class DecisionQueue {
  readonly #program: ChildProgram;
  readonly #jit: Jit;
  readonly #limits: SandboxLimits;
  readonly #graceMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #child: Child | undefined;
  readonly #enclosing: Enclosing;
  /** of the child */
  #hold: Hold = { within: undefined, hasJit: false };
  #isProven = false;
  /** Why this child is killed before it has any rules; undefined: it is not. */
  #failing: string | undefined;
  #isClosed = false;
  readonly #gone = Promise.withResolvers<void>();
  #watchdog: NodeJS.Timeout | undefined;
  #restore: string | null = null;
  #next = 1;
  #deaths = 0;
  /** The child makes an isolate before the next request, and reports when it is ready. */
  #isSettingUp = false;
  #hasSpare = false;
  #counts = { decisions: 0, failures: 0, respawns: 0 };

  /** @param graceMs time beyond a request's limit after which the child is killed */
  constructor(
    program: ChildProgram,
    jit: Jit,
    limits: SandboxLimits,
    graceMs = 800,
    enclosing = new Enclosing(),
  ) {
    this.#program = program;
    this.#jit = jit;
    this.#enclosing = enclosing;
    this.#limits = limits;
    this.#graceMs = graceMs;
    this.#start();
  }

  /** Ask the child. Always settles. */
  ask(request: Request): Promise<SandboxAnswer | SandboxFailure> {
    if (this.#isClosed) return Promise.resolve(failed('sandbox-closed', 'the sandbox is closed'));
    return new Promise((resolve) => {
      const id = this.#next;
      this.#next += 1;
      const settle = (answer: SandboxAnswer | SandboxFailure): void => {
        if (request.kind === 'decide') this.#counts.decisions += 1;
        if (answer.kind === 'sandbox') this.#counts.failures += 1;
        resolve(answer);
      };
      this.#waiting.set(id, { request, settle });
      if (this.#child === undefined) this.#start();
      else if (this.#isProven) this.#child.send({ ...request, id });
      if (this.#waiting.size === 1) this.#watch();
    });
  }

  /** Let every later child begin with this load request. */
  keep(loadRequest: string): void {
    this.#restore = loadRequest;
  }

  /** Fails waiting requests, ends the child, and waits until it is gone. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll('sandbox-closed', 'the sandbox was closed');
    if (this.#child === undefined) this.#gone.resolve();
    else this.#child.kill();
    return this.#gone.promise;
  }

  /** Of the process that decides; null while there is none. */
  pid(): number | null {
    return this.#child?.pid() ?? null;
  }

  stats(): Pick<
    SandboxStats,
    'isEnclosed' | 'hasJit' | 'hasSpare' | 'decisions' | 'failures' | 'respawns' | 'waiting'
  > {
    const { within, hasJit } = this.#hold;
    const isEnclosed = within === undefined ? false : within.works;
    return {
      isEnclosed,
      hasJit: hasJit && isEnclosed !== null,
      hasSpare: this.#hasSpare,
      ...this.#counts,
      waiting: this.#waiting.size,
    };
  }

  #start(): void {
    this.#isSettingUp = true;
    this.#hold = this.#nextHold();
    const child = startChild(this.#program, this.#hold, this.#limits, this.#restore, {
      onMessage: (message) => this.#receive(message),
      onExit: (why, end) => this.#died(why, end),
    });
    this.#child = child;
    const { within } = this.#hold;
    this.#isProven = false;
    this.#failing = undefined;
    // Until it is known that bubblewrap works, a child gets no rules before it is ready.
    if (within === undefined || within.works === true) this.#prove(child);
    this.#watch();
  }

  #nextHold(): Hold {
    const { works } = this.#enclosing;
    // A child that begins with rules is not the one that shows whether the system holds it.
    const mayTry = works === null && this.#restore === null;
    const within = works === true || mayTry ? this.#enclosing : undefined;
    return { within, hasJit: this.#jit === 'always' || (this.#jit === 'enclosed' && !!within) };
  }

  /** Gives the child what waits for it, once it is known to be held as it was started. */
  #prove(child: Child): void {
    const { within } = this.#hold;
    if (within !== undefined && within.works !== true) {
      if (!child.isHeld()) {
        this.#failing = 'bubblewrap starts programs and does not hold them';
        child.kill();
        return;
      }
      within.confirm();
    }
    this.#isProven = true;
    for (const [id, { request }] of this.#waiting) child.send({ ...request, id } satisfies ToChild);
  }

  #receive(message: FromChild): void {
    if (message.kind === 'ready') {
      if (!this.#isProven && this.#child !== undefined) this.#prove(this.#child);
      if (!this.#isProven) return;
      this.#hasSpare = message.hasSpare;
      if (this.#isSettingUp) {
        this.#isSettingUp = false;
        this.#watch();
      }
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    this.#deaths = 0;
    // After these the child replaces the isolate that was cut off; a load makes its own.
    const isCutOff =
      message.kind === 'failed' &&
      (message.code === 'rule-timeout' || message.code === 'rule-memory');
    if (isCutOff && waiting.request.kind === 'decide') this.#isSettingUp = true;
    this.#watch();
    if (message.kind === 'failed') {
      waiting.settle(failed(message.code, message.message));
      return;
    }
    waiting.settle({ kind: 'answer', answer: message.answer, milliseconds: message.milliseconds });
  }

  #died(why: string, end: ChildEnd): void {
    this.#child = undefined;
    this.#hasSpare = false;
    clearTimeout(this.#watchdog);
    if (this.#isClosed) {
      this.#gone.resolve();
      return;
    }
    const isRefusal = this.#failing !== undefined || end === 'missing' || end === 'ended';
    if (isRefusal && !this.#isProven && this.#hold.within?.works === null) {
      const cause = this.#failing ?? why;
      if (this.#enclosing.refuse(cause)) this.#start();
      else this.#failAll('sandbox-crashed', `sandbox.isolation is required, and ${cause}`);
      return;
    }
    const [head] = this.#waiting;
    if (head !== undefined && !this.#isSettingUp) {
      this.#waiting.delete(head[0]);
      head[1].settle(failed('sandbox-crashed', why));
    } else {
      this.#deaths += 1;
    }
    if (this.#deaths >= MOST_DEATHS) {
      this.#failAll('sandbox-crashed', why);
      this.#deaths = 0;
      return;
    }
    this.#counts.respawns += 1;
    this.#start();
  }

  /** Starts the time limit of the first request, and kills the child at its end. */
  #watch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = undefined;
    const [head] = this.#waiting.values();
    if (head === undefined) return;
    const { decisionMs, loadMs } = this.#limits;
    const own = head.request.kind === 'load' ? loadMs : decisionMs;
    const limit = own + this.#graceMs + (this.#isSettingUp ? START_MS + loadMs : 0);
    const watchdog = setTimeout(() => {
      // If this process got no time, the answer may be here unread: it is read before immediates
      // run.
      setImmediate(() => {
        if (this.#watchdog !== watchdog) return;
        if (!this.#isProven) this.#failing = 'no child was ready in time';
        this.#child?.kill();
      });
    }, limit);
    watchdog.unref();
    this.#watchdog = watchdog;
  }

  #failAll(code: SandboxFailure['code'], message: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { settle } of all) settle(failed(code, message));
  }
}

function failed(code: SandboxFailure['code'], message: string): SandboxFailure {
  return { kind: 'sandbox', code, message };
}
