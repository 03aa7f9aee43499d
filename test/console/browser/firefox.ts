import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '../../engines/packages.ts';

/** Why this machine has no Firefox; undefined if it has one. */
export const noFirefox = needs('firefox-esr');

/** A window of Debian's Firefox. Playwright drives its own Firefox only, so this speaks BiDi. */
export type FirefoxWindow = {
  readonly open: (address: string) => Promise<void>;
  /** The value of an expression in the page; a promise is awaited. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** Starts Firefox without a screen and with a new profile. */
export async function openFirefox(): Promise<FirefoxWindow> {
  const profile = await mkdtemp(join(tmpdir(), 'planner-firefox-'));
  const child = spawn(
    '/usr/bin/firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } },
  );
  const close = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const send = await connect(`${await listening(child)}/session`);
    await send('session.new', { capabilities: {} });
    const tree = await send('browsingContext.getTree', {});
    const { context } = Object(tree).contexts[0];
    return {
      open: async (url) =>
        void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
      evaluate: async (expression) => {
        const answer = await send('script.evaluate', {
          expression,
          target: { context },
          awaitPromise: true,
        });
        const { type, result, exceptionDetails } = Object(answer);
        if (type !== 'success') throw new Error(Object(exceptionDetails).text);
        return Object(result).value;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address that Firefox says it listens on. */
async function listening({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Firefox has no output');
  let said = '';
  for await (const text of stderr.setEncoding('utf8')) {
    said += String(text);
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
    if (address !== undefined) {
      return address;
    }
  }
  throw new Error(`Firefox ended: ${said}`);
}

/** Sends commands, one answer each. */
async function connect(address: string) {
  const socket = new WebSocket(address);
  const open = new Map<number, (answer: object) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const answer = Object(JSON.parse(String(data)));
    open.get(answer.id)?.(answer);
  });
  await new Promise((done, failed) => {
    socket.addEventListener('open', done);
    socket.addEventListener('error', () => failed(new Error(`no connection to ${address}`)));
  });
  return async (method: string, params: object): Promise<unknown> => {
    last += 1;
    const id = last;
    const answer = new Promise<object>((done) => void open.set(id, done));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, error, message, result } = Object(await answer);
    if (type !== 'success') throw new Error(`${method}: ${error} ${message}`);
    return result;
  };
}
