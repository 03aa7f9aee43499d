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
 * Requests at the same time: of all, to one server, which may be slow, of one client, who can take
 * neither all turns nor those of a server, and of all clients of the crowd, who have half of them.
 */
const AT_ONCE = { all: 32, host: 6, client: 5, crowd: 16 };
/** With those that wait; an ask has up to a hundred URLs. */
const MOST = { all: 2000, client: 200, crowd: 1000 };

/** @param isOfCrowd is a client one of many that anybody can be? */
export function openTurns(isOfCrowd: (client: string) => boolean = () => false): Turns {
  const all = limitConcurrency(AT_ONCE.all);
  const crowd = limitConcurrency(AT_ONCE.crowd);
  const byHost = limitEach(AT_ONCE.host);
  const byClient = limitEach(AT_ONCE.client);
  const users = { all: 0, crowd: 0 };
  const count = (client: string, more: number): void => {
    users.all += more;
    if (isOfCrowd(client)) users.crowd += more;
  };
  return {
    areTooMany: (client) =>
      users.all >= MOST.all ||
      byClient.users(client) >= MOST.client ||
      (isOfCrowd(client) && users.crowd >= MOST.crowd),
    take: async (client, host, work) => {
      const inTurn = () => byHost.take(host, () => all(work));
      count(client, 1);
      try {
        return await byClient.take(client, isOfCrowd(client) ? () => crowd(inTurn) : inTurn);
      } finally {
        count(client, -1);
      }
    },
  };
}

/** Limits for each key, forgotten with the last one who uses it. */
function limitEach(most: number) {
  const limits = new Map<string, { readonly limit: Limit; users: number }>();
  return {
    users: (key: string): number => limits.get(key)?.users ?? 0,
    take: async <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
      const one = limits.get(key) ?? { limit: limitConcurrency(most), users: 0 };
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
