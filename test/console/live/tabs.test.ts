import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Change } from '../../../clients/typescript/src/streams/change.ts';
import { begin, load, printed, startEventServer, stopClock, until } from './event-server.ts';
import type { EventServer } from './event-server.ts';

/** A tab of a browser: modules of its own, which the tabs of an origin share a channel and locks with. */
type Tab = {
  readonly changes: readonly Change[];
  readonly isLive: () => boolean;
  readonly see: (state: 'visible' | 'hidden') => void;
  readonly followUser: () => void;
  readonly openBell: (ident: string) => {
    readonly quiet: () => void;
    readonly rings: (isQueued: boolean) => Promise<void>;
    readonly close: () => void;
  };
};

const START = printed(1, 'start', {});
const JOB = printed(2, 'job', { id: '7', state: 'RUNNING', phase: 'EXECUTING' });
const IS_JOB: Change = { kind: 'job', id: '7', phase: 'EXECUTING' };
let server: EventServer;
const tabs: Tab[] = [];
beforeAll(async () => {
  server = await startEventServer();
  Object.assign(globalThis, { isSecureContext: true });
});
afterEach(async () => {
  // The one with the stream at last, so that no other takes over on its way.
  for (const tab of tabs.splice(0).toReversed()) tab.see('hidden');
  jest.useRealTimers();
  await until(() => server.open.size === 0);
  server.requests.length = 0;
});
afterAll(() => server.close());

async function openTab(): Promise<Tab> {
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  Object.assign(globalThis, { document });
  jest.resetModules();
  const changes = Object(await load('live/changes.ts'));
  const { openBell } = Object(await load('jobs/job-bell.ts'));
  const heard: Change[] = [];
  changes.onChange((change: Change) => void heard.push(change));
  changes.startChanges();
  const tab: Tab = {
    changes: heard,
    isLive: () => changes.isLive.value,
    see: (state) => {
      document.visibilityState = state;
      Object.assign(globalThis, { document });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    followUser: changes.followUser,
    openBell,
  };
  tabs.push(tab);
  return tab;
}

/** Requests of the stream; a tab whose user changes asks who that is, too. */
function streams() {
  return server.requests.filter(({ url }) => url === '/events');
}

/** Answers streams with the start; what is written later goes to all of them. */
function serve(): (text: string) => void {
  server.answer((request, response) => {
    if (request.url === '/events') begin(response).write(START);
    else response.writeHead(503).end();
  });
  return (text) => {
    for (const response of server.open) response.write(text);
  };
}

describe('tabs', () => {
  test('share one stream, and each hears of all changes', async () => {
    const write = serve();
    const first = await openTab();
    await until(first.isLive);
    const second = await openTab();
    await until(second.isLive);
    write(JOB);
    await until(() => [first, second].every(({ changes }) => changes.length > 1));
    const heard = (tab: Tab) => tab.changes.filter(({ kind }) => kind === 'job');
    expect([heard(first), heard(second), streams().length]).toEqual([[IS_JOB], [IS_JOB], 1]);
    // A tab that begins to hear reads everything first.
    for (const { changes } of [first, second]) expect(changes[0]).toEqual({ kind: 'start' });
  });

  test('go on when the one with the stream is hidden or closed', async () => {
    const write = serve();
    const first = await openTab();
    await until(first.isLive);
    const second = await openTab();
    await until(second.isLive);
    first.see('hidden');
    await until(() => streams().length === 2 && server.open.size === 1);
    expect(first.isLive()).toBe(false);
    const before = second.changes.length;
    write(JOB);
    await until(() => second.changes.slice(before).some(({ kind }) => kind === 'job'));
    expect(first.changes).not.toContainEqual(IS_JOB);
    first.see('visible');
    await until(first.isLive);
    expect([streams().length, first.changes.at(-1)]).toEqual([2, { kind: 'start' }]);
  });

  test('none of which is seen have no stream', async () => {
    serve();
    const tab = await openTab();
    await until(tab.isLive);
    tab.see('hidden');
    await until(() => server.open.size === 0);
    expect([streams().length, tab.isLive()]).toEqual([1, false]);
  });

  test('begin a stream of the user who has signed in, whichever tab that is in', async () => {
    serve();
    const first = await openTab();
    await until(first.isLive);
    const second = await openTab();
    await until(second.isLive);
    second.followUser();
    await until(() => streams().length === 2);
    first.followUser();
    await until(() => streams().length === 3);
    // The other tab asks who the user is now.
    await until(() => server.requests.filter(({ url }) => url === '/me').length === 2);
    expect([first, second].map((tab) => tab.isLive())).toEqual([true, true]);
  });

  test('without TLS have no locks, and a stream each', async () => {
    serve();
    Object.assign(globalThis, { isSecureContext: false });
    const [first, second] = [await openTab(), await openTab()];
    await until(() => first.isLive() && second.isLive());
    await until(() => streams().length === 2);
    expect(server.open.size).toBe(2);
    Object.assign(globalThis, { isSecureContext: true });
  });
});

describe('the bell of a job', () => {
  /** A bell that is quiet, and whether it has rung since. */
  async function quietBell(isQueued: boolean) {
    const write = serve();
    const tab = await openTab();
    await until(tab.isLive);
    const bell = tab.openBell('7');
    bell.quiet();
    const state = { rang: false };
    void bell.rings(isQueued).then(() => void (state.rang = true));
    /** Sends events, and waits until the tab has heard them. */
    const tell = async (text: string): Promise<void> => {
      const end = `mark ${tab.changes.length}`;
      write(text + printed(9, 'offer', { id: end, state: 'EXPIRED' }));
      await until(() => tab.changes.some((change) => change.kind === 'offer' && change.id === end));
    };
    return { tab, bell, state, tell };
  }

  test('rings for its job, and not for others', async () => {
    const { bell, state, tell } = await quietBell(false);
    await tell(printed(2, 'job', { id: '8', state: 'RUNNING' }));
    await tell(printed(3, 'book', { number: 2 }));
    expect(state.rang).toBe(false);
    await tell(JOB);
    await until(() => state.rang);
    // It remembers that it rang, until it is told to forget it.
    await bell.rings(false);
    bell.close();
  });

  test('of a job that is queued rings 5 s after the book changed, once for all changes', async () => {
    stopClock();
    const { bell, state, tell } = await quietBell(true);
    await tell(printed(3, 'book', { number: 2 }));
    jest.advanceTimersByTime(3000);
    await tell(printed(4, 'book', { number: 3 }));
    expect(state.rang).toBe(false);
    jest.advanceTimersByTime(2000);
    await until(() => state.rang);
    // A change before the question counts, too.
    bell.quiet();
    await tell(printed(5, 'book', { number: 4 }));
    const later = bell.rings(true);
    jest.advanceTimersByTime(5000);
    await later;
    bell.close();
  });

  test('rings when changes are told no more, when they are told again, and at its end', async () => {
    const { tab, bell, state } = await quietBell(false);
    tab.see('hidden');
    await until(() => state.rang);
    bell.quiet();
    const again = bell.rings(false);
    tab.see('visible');
    await again;
    bell.quiet();
    const end = bell.rings(false);
    bell.close();
    expect(await end).toBeUndefined();
  });
});
