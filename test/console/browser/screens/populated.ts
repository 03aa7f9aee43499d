import { until } from '../../../cli/service-process.ts';
import type { WholeService } from '../../../harness/whole-service.ts';

const TYPE = 'https://www.purl.org/ivoa-net/task-type/executable';
/** Writes a log in colours and results of several kinds. */
const WRITES = String.raw`for i in 1 2 3 4 5 6; do
  printf '\033[36mchunk %02d\033[0m  rms \033[1;32m0.8\033[0m mJy/beam\n' $i
done
printf 'a long line: %0300d\n' 7
printf 'name,flux,unit\nCrab nebula,"1,040",Jy\nCas A,2720,Jy\n' > sources.csv
printf '<h1>Report</h1><p>All is well.' > report.html`;

/** Objects of a service, each in the state of its name. */
export type Populated = {
  /** answers */
  readonly yes: string;
  readonly over: string;
  readonly no: string;
  /** offers */
  readonly offer: string;
  /** jobs */
  readonly running: string;
  readonly done: string;
  readonly failed: string;
  readonly accepted: string;
  readonly ofAnother: string;
  /** Ends what still runs. */
  readonly end: () => Promise<void>;
};

/**
 * Fills a service with asks and jobs of the users of two tokens.
 *
 * @param mine token of the user who looks at them
 * @param another token of the owner of `ofAnother`
 */
export async function populate(
  { url }: WholeService,
  mine: string,
  another: string,
): Promise<Populated> {
  const send = async (token: string, path: string, body: object | URLSearchParams) => {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      body: body instanceof URLSearchParams ? body : JSON.stringify(body),
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: 'application/json',
        ...(!(body instanceof URLSearchParams) && { 'Content-Type': 'application/json' }),
      },
    });
    return Object(await response.json());
  };
  const ask = async (name: string, program: string, cores: number, token = mine) => {
    const { response } = await send(token, '/request', {
      name,
      task: { type: TYPE, spec: { command: ['sh', '-c', program] } },
      resources: { compute: [{ 'min-cores': cores, 'min-memory': '1GiB' }] },
    });
    return response;
  };
  const decide = (offer: string, decision: object, token = mine) =>
    send(token, `/offers/${offer}`, decision);
  const job = async (name: string, program: string, start = 'auto', token = mine) => {
    const [offer] = (await ask(name, program, 1, token)).offers;
    await decide(offer.ident, { status: 'ACCEPTED', start }, token);
    return String(offer.ident);
  };
  const reach = (ident: string, phase: string) =>
    until(`${ident} is ${phase}`, async () => {
      const response = await fetch(`${url}/jobs/${ident}/phase`, {
        headers: { Authorization: `Bearer ${mine}` },
      });
      return (await response.text()) === phase;
    });
  const running = await job('Deep field 7, run 3', `${WRITES}; while :; do sleep 1; done`);
  const done = await job('Crab nebula', WRITES);
  const failed = await job('Cas A', 'echo "no such catalogue: 3C 461" >&2; exit 3');
  const accepted = await job('Later', 'true', 'client');
  const ofAnother = await job('A survey of somebody else', 'true', 'client', another);
  const over = await ask('Given back', 'true', 1);
  for (const { ident } of over.offers) await decide(ident, { status: 'REJECTED' });
  const yes = await ask('Square roots', 'true', 2);
  const no = await ask('Too much', 'true', 999);
  await reach(running, 'EXECUTING');
  await reach(done, 'COMPLETED');
  await reach(failed, 'ERROR');
  return {
    yes: yes.ident,
    over: over.ident,
    no: no.ident,
    offer: yes.offers[0].ident,
    running,
    done,
    failed,
    accepted,
    ofAnother,
    end: async () => {
      await send(mine, `/jobs/${running}/phase`, new URLSearchParams({ PHASE: 'ABORT' }));
    },
  };
}
