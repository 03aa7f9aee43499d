import { createHash } from 'node:crypto';
import { load } from 'js-yaml';
import { DIALECTS } from '../../../src/dialects/all.ts';
import { openFollowingToy } from '../../dialects/toy/following.ts';
import { startTestService, type TestService } from '../../harness/service.ts';

/** People of the site, who log in as `Bearer <name>`; eve is an administrator. */
const PEOPLE = ['ada', 'bob', 'eve'];
const SITE = {
  rules: ['rules.yml'],
  identity: {
    tokens: PEOPLE.map((name) => ({
      sha256: createHash('sha256').update(name).digest('hex'),
      user: `${name}@example.org`,
      ...(name === 'eve' && { roles: ['operators'] }),
    })),
    administrators: ['operators'],
  },
  destinations: {
    small: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 600,
      memory: '900GiB',
      scratch: '900GiB',
    },
  },
};
const RULES = { destinations: { small: { runner: 'process', max_accepted_cores: 6 } } };

/** A wish for so many cores. */
export function wish(cpu = 1): object {
  return { run: ['sort'], cpu, minutes: 30 };
}

export type Sent = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly document: Readonly<Record<string, unknown>>;
};

/** A service that speaks a dialect with sessions, and how its clients send requests. */
export type FollowedService = TestService & {
  /** @param who whose token is sent, unless it is nobody's */
  readonly send: (
    path: string,
    document?: object,
    headers?: Readonly<Record<string, string>>,
    who?: string,
  ) => Promise<Sent>;
  /** The bids on a wish that is granted. */
  readonly bids: (who?: string) => Promise<readonly Bid[]>;
};

export type Bid = { readonly id: string; readonly link: string };

export async function startFollowedService(): Promise<FollowedService> {
  const service = await startTestService(SITE, RULES, {}, [...DIALECTS, openFollowingToy]);
  const send: FollowedService['send'] = async (path, document, headers = {}, who = 'ada') => {
    const body = document === undefined ? {} : { method: 'POST', body: JSON.stringify(document) };
    const url = path.startsWith('http') ? path : service.url + path;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${who}`, ...headers },
      ...body,
    });
    const text = await response.text();
    const { status } = response;
    return {
      status,
      headers: response.headers,
      text,
      document: Object(text === '' ? {} : load(text)),
    };
  };
  return {
    ...service,
    send,
    bids: async (who) => {
      const { status, document } = await send('/wishes', wish(), {}, who);
      if (status !== 201) throw new Error(JSON.stringify(document));
      return Object(document).bids;
    },
  };
}
