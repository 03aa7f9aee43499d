import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Longest wait for one answer: arithmetic on a huge int does not heed CPython's own alarm. */
const PATIENCE_MS = 4000;

type Child = {
  readonly process: ChildProcessWithoutNullStreams;
  readonly lines: AsyncIterator<string>;
};

/** One long-lived CPython that answers programs in order; a new one takes over when it hangs. */
export class Oracle {
  readonly #python: string;
  readonly #hashSeed: number;
  #child: Child;

  /** @param python the interpreter, such as `python3`; texts hash by `hashSeed` */
  constructor(python: string, hashSeed = 0) {
    this.#python = python;
    this.#hashSeed = hashSeed;
    this.#child = this.#start();
  }

  #start(): Child {
    const script = new URL('oracle.py', import.meta.url).pathname;
    const child = spawn(this.#python, [script], {
      env: {
        PATH: process.env['PATH'] ?? '',
        TZ: 'UTC',
        PYTHONHASHSEED: String(this.#hashSeed),
        LC_ALL: 'C.UTF-8',
      },
    });
    child.stderr.resume();
    child.stdin.on('error', () => undefined);
    return {
      process: child,
      lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    };
  }

  /** The outcomes of programs, in their order; `?time` for one that CPython did not end. */
  async answers(programs: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    const send = (): void => {
      for (const program of programs.slice(found.length))
        this.#child.process.stdin.write(`${JSON.stringify(program)}\n`);
    };
    send();
    while (found.length < programs.length) {
      const line = await this.#next();
      if (line !== undefined) {
        const answer: unknown = JSON.parse(line);
        found.push(String(answer));
        continue;
      }
      this.#child.process.kill('SIGKILL');
      this.#child = this.#start();
      found.push('?time');
      send();
    }
    return found;
  }

  /** The next line, `undefined` when it does not come in time or CPython is gone. */
  async #next(): Promise<string | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    const next = this.#child.lines
      .next()
      .then((line) => (line.done === true ? undefined : line.value));
    const first = await Promise.race([next, late]);
    clearTimeout(timer);
    return first;
  }

  close(): void {
    this.#child.process.stdin.end();
    this.#child.process.kill('SIGKILL');
  }
}
