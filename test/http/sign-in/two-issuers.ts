import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestService } from '../../harness/service.ts';
import { SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';
import { CLIENT, openProvider, type TestProvider } from '../../identity/sign-in/provider.ts';
import { signInAt } from './at-issuer.ts';
import { openPage, type BrowserPage } from './browser.ts';

/** A link that an issuer sends a browser along. */
const FOLLOWED = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
};

/** A service with two issuers, `One` and `Two & more`, whose users have the same names. */
export async function openTwoIssuers() {
  const folder = await mkdtemp(join(tmpdir(), 'planner-issuer-'));
  const secret = join(folder, 'secret');
  await writeFile(secret, `${CLIENT.secret}\n`);
  const [one, two] = [await openProvider(), await openProvider()];
  const issuer = ({ url }: TestProvider, name: string, more: object = {}) => ({
    issuer: url,
    name,
    audience: 'planner',
    'client-id': CLIENT.id,
    'client-secret': secret,
    'groups-claim': 'groups',
    'role-prefix': `${name}:`,
    scopes: ['openid', 'email', 'groups'],
    ...more,
  });
  const oidc = [
    issuer(one, 'One'),
    issuer(two, 'Two & more', { 'sign-in-lifetime': 'PT2H' }),
    { issuer: 'https://iam.example.org', audience: 'planner', name: 'Tokens only' },
  ];
  const identity = { anonymous: false, administrators: ['One:survey'], oidc };
  const site = { ...SMALL_SITE, identity };
  const service = await startTestService(site, SMALL_RULES);

  const follow = (page: BrowserPage, path: string) => page.send(path, { headers: FOLLOWED });
  const begin = async (page: BrowserPage, at = 'One', to = '#/jobs'): Promise<string> => {
    const { headers } = await page.send(`/login?${new URLSearchParams({ at, to }).toString()}`);
    return headers.get('location') ?? '';
  };
  /** The path and query of the service where the provider sends a browser that began there. */
  const backFrom = async (page: BrowserPage, user = 'ada', provider = one, at = 'One') => {
    const url = await signInAt(provider, await begin(page, at), user);
    if (!url.startsWith(service.url)) throw new Error(`the provider leads to ${url}`);
    return url.slice(service.url.length);
  };
  return {
    one,
    two,
    service,
    /** its site file */
    site,
    /** a file with the client's secret */
    secret,
    /** follows a link of another site */
    follow,
    /** @returns where the service sends the browser */
    begin,
    backFrom,
    /** a page whose user has signed in */
    signedIn: async (user = 'ada', provider = one, at = 'One') => {
      const page = openPage(service.url);
      const path = await backFrom(page, user, provider, at);
      return { ...page, path, reply: await follow(page, path) };
    },
    /** what comes of an answer of an issuer in a browser */
    outcomeOf: async (page: BrowserPage, path: string) => {
      const { status, document } = await follow(page, path);
      return {
        status,
        code: document['code'],
        detail: document['detail'],
        cookie: page.cookies.has('planner'),
        signIns: await service.db.database.signIn.count(),
      };
    },
    /** forgets all sign-ins, here and at the issuers */
    reset: async () => {
      one.register(`${service.url}/login/callback`);
      two.register(`${service.url}/login/callback`);
      await service.db.database.$executeRaw`TRUNCATE sign_in, ask CASCADE`;
    },
    close: async () => {
      await service.close();
      await one.close();
      await two.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TwoIssuers = Awaited<ReturnType<typeof openTwoIssuers>>;
