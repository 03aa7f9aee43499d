import { limitConcurrency } from '../words/concurrency.ts';

/** Turns to read URLs. */
export type Turns = {
  /** Whether this client, or all together, wait for too many. */
  readonly areTooMany: (client: string) => boolean;
  /** Does work in a turn of its client and its server. */
  readonly take: <Value>(
    client: string,
    host: string,
    work: () => Promise<Value>,
  ) => Promise<Value>;
};

/**
 * Requests at the same time: of all, to one server, which may be slow, and of one client, who can
 * take neither all turns nor those of a server.
 */
const AT_ONCE = { all: 32, host: 6, client: 5, crowd: 16 };
/** With those that wait; an ask has up to a hundred URLs. */
const MOST = { all: 2000, client: 200, crowd: 1000 };

/** @param crowd the client that is many people, who have half of all turns; absent: nobody is */
export function openTurns(crowd?: string): Turns {
  const sizeOf = (client: string) => (client === crowd ? 'crowd' : 'client');
  const all = limitConcurrency(AT_ONCE.all);
  const byHost = limitEach(() => AT_ONCE.host);
  const byClient = limitEach((client) => AT_ONCE[sizeOf(client)]);
  let users = 0;
  return {
    areTooMany: (client) => users >= MOST.all || byClient.users(client) >= MOST[sizeOf(client)],
    take: async (client, host, work) => {
      users += 1;
      try {
        return await byClient.take(client, () => byHost.take(host, () => all(work)));
      } finally {
        users -= 1;
      }
    },
  };
}

/** Limits for each key, forgotten with the last one who uses it. */
function limitEach(mostOf: (key: string) => number) {
  const limits = new Map<string, { readonly limit: Limit; users: number }>();
  return {
    users: (key: string): number => limits.get(key)?.users ?? 0,
    take: async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
      const one = limits.get(key) ?? { limit: limitConcurrency(mostOf(key)), users: 0 };
      limits.set(key, one);
      one.users += 1;
      try {
        return await one.limit(work);
      } finally {
        one.users -= 1;
        if (one.users === 0) limits.delete(key);
      }
    },
  };
}

type Limit = ReturnType<typeof limitConcurrency>;
