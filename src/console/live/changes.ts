import { effect, signal } from '@preact/signals';
import { BASE } from '../api.ts';
import { changeOf, type Change } from '../client.ts';
import { openStream } from './stream.ts';
import { isSeen } from './visible.ts';
import { nameOfUser, readMe } from '../who.ts';

/** What tabs say to each other. */
type Message =
  /** somebody began to listen, and asks whether changes come */
  | { readonly kind: 'hello' }
  /** another user has signed in or out: the stream is of the one before */
  | { readonly kind: 'user' }
  | { readonly kind: 'live'; readonly isLive: boolean }
  | { readonly kind: 'change'; readonly name: Change['kind']; readonly data: string };

/** The tabs of this service; there may be others below other paths of the origin. */
const NAME = `changes of ${BASE}`;

/** Does the page hear of changes as they come? Otherwise it has to look for them. */
export const isLive = signal(false);

const listeners = new Set<(change: Change) => void>();
/** While this tab takes part: begins again as another user, here and in the other tabs. */
let beginAgain: (() => void) | undefined;

/** Tells of every change. @returns a function that ends it */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/**
 * Hears of changes as long as the page is seen: one tab has the connection and tells the others,
 * since browsers have six to a host over HTTP/1.1.
 */
export function startChanges(): void {
  effect(() => (isSeen.value ? takePart() : undefined));
}

/** Follows the changes of the user who is signed in now. */
export function followUser(): void {
  beginAgain?.();
}

function takePart(): () => void {
  const over = new AbortController();
  const channel = new BroadcastChannel(NAME);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  const say = (message: Message): void => channel.postMessage(message);
  /** of the tab that leads */
  let again: (() => void) | undefined;
  channel.addEventListener('message', ({ data }) => {
    const message = messageOf(data);
    if (message?.kind === 'user') void readMe();
    if (again === undefined) hear(message);
    else if (message?.kind === 'hello') say({ kind: 'live', isLive: isLive.peek() });
    else if (message?.kind === 'user') again();
  });
  say({ kind: 'hello' });
  beginAgain = () => {
    say({ kind: 'user' });
    again?.();
  };
  void lead(over.signal, () => {
    const begin = (): (() => void) =>
      openStream({
        onLive: (now) => {
          if (now !== isLive.peek()) say({ kind: 'live', isLive: now });
          setLive(now);
        },
        onChange: (change) => {
          const { kind, ...data } = change;
          say({ kind: 'change', name: kind, data: JSON.stringify(data) });
          tell(change);
        },
      });
    let stop = begin();
    again = () => {
      stop();
      stop = begin();
    };
    return () => stop();
  });
  return () => {
    over.abort();
    channel.close();
    again = undefined;
    beginAgain = undefined;
    isLive.value = false;
  };
}

/**
 * Acts while this tab leads, which it does until the signal. Pages without TLS have no locks: there
 * each tab leads itself.
 */
async function lead(signal: AbortSignal, begin: () => () => void): Promise<void> {
  const act = (): Promise<void> =>
    new Promise((done) => {
      if (signal.aborted) return done();
      const stop = begin();
      signal.addEventListener('abort', () => {
        stop();
        done();
      });
    });
  if (!isSecureContext) return act();
  // An abort before this tab's turn is an error.
  await navigator.locks.request(NAME, { signal }, act).catch(() => undefined);
}

function hear(message: Message | undefined): void {
  if (message?.kind === 'live') setLive(message.isLive);
  if (message?.kind !== 'change') return;
  const change = changeOf(message.name, message.data);
  if (change !== undefined) tell(change);
}

function setLive(now: boolean): void {
  const wasLive = isLive.peek();
  isLive.value = now;
  if (now && !wasLive) tell({ kind: 'start' });
  // The service ends a stream with its sign-in. That may have ended while nothing was heard, too:
  // the browser then sends no cookie, and a site that takes everybody refuses nothing.
  if ((!now && wasLive) || (now && !wasLive && nameOfUser() !== undefined)) void readMe();
}

function tell(change: Change): void {
  for (const listener of listeners) listener(change);
}

/** Another tab may have a page of another version of the service. */
function messageOf(data: unknown): Message | undefined {
  const { kind, name, data: text, isLive: live } = Object(data);
  switch (kind) {
    case 'hello':
    case 'user':
      return { kind };
    case 'live':
      return { kind, isLive: live === true };
    case 'change':
      return { kind, name, data: String(text) };
    default:
      return undefined;
  }
}
