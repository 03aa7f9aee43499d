import { load as loadYaml } from 'js-yaml';
import { writeXml } from '../../../src/xml/document.ts';
import { openMapping } from '../../../src/xml/mapping.ts';
import { readContract } from '../../../src/http/service-routes.ts';
import type { HttpLoad, LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import type { Fact } from '../sample.ts';
import { YES_ASK } from '../site.ts';
import { emptyBook } from './book.ts';
import { PARTS, postmasterOf, timesOf } from './costs.ts';

const ROUNDS = 7;
const CONNECTIONS = 8;
const JSON_TYPE = 'application/json';

/** The same ask in the vocabulary of 2026. */
const KINDS = 'https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds';
const BROKER_ASK = {
  executable: {
    kind: 'https://www.purl.org/ivoa-net/execution-planner/kinds/executable/executable-1.0',
    command: ['/usr/bin/source-extractor', 'field-0042.fits'],
    environment: { OMP_NUM_THREADS: '2' },
  },
  compute: {
    kind: `${KINDS}/compute/simple-compute-resource.yaml`,
    meta: { name: 'extract' },
    cores: { min: 2, max: 4 },
    memory: { min: 4, max: 16 },
  },
};

type Sent = Pick<HttpLoad, 'type' | 'body' | 'status'> & { readonly path: string };
type Times = { readonly planner: number; readonly all: number };

/**
 * Processor time of an ask in JSON, in XML, and in JSON of the vocabulary of 2026, in turn: of the
 * planner alone, and of all parts that answer it.
 */
export async function measureFormats(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): Promise<readonly Fact[]> {
  const ask: unknown = loadYaml(YES_ASK);
  const { document } = await readContract();
  const [asXml] = openMapping(document).sent('POST', '/request');
  const json: Sent = { path: '/request', type: JSON_TYPE, body: JSON.stringify(ask) };
  const xml: Sent = { path: '/request', type: 'application/xml', body: writeXml(ask, asXml) };
  const broker: Sent = {
    path: '/requests',
    type: JSON_TYPE,
    body: JSON.stringify(BROKER_ASK),
    status: 303,
  };
  const postmaster = await postmasterOf(planner);
  const timeOf = async ({ path, ...sent }: Sent): Promise<Times> => {
    await emptyBook(planner.client);
    const url = `${planner.server.url}${path}`;
    const before = await timesOf(planner, postmaster);
    await load.send({ ...sent, url, method: 'POST', amount, connections: CONNECTIONS });
    const after = await timesOf(planner, postmaster);
    const all = PARTS.reduce((sum, part) => sum + after[part] - before[part], 0);
    return { planner: (after.planner - before.planner) / amount, all: all / amount };
  };
  const rounds: (readonly [json: Times, xml: Times, broker: Times])[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const three = [await timeOf(json), await timeOf(xml), await timeOf(broker)] as const;
    if (round > 0) rounds.push(three);
  }
  await emptyBook(planner.client);
  return [
    ...factsOf(
      'in XML',
      rounds.map(([first, second]) => [first, second]),
    ),
    ...factsOf(
      'in the vocabulary of 2026',
      rounds.map(([first, , third]) => [first, third]),
    ),
  ];
}

function factsOf(
  what: string,
  rounds: readonly (readonly [json: Times, other: Times])[],
): readonly Fact[] {
  const name = `processor time of an ask ${what}, YES`;
  return [
    { name: `${name}, planner`, unit: 'ms', values: rounds.map(([, { planner }]) => planner) },
    {
      name: `${name}, planner, of that in JSON of 2023`,
      unit: 'times',
      values: rounds.map(([json, other]) => other.planner / json.planner),
    },
    {
      name: `${name}, all parts, of that in JSON of 2023`,
      unit: 'times',
      values: rounds.map(([json, other]) => other.all / json.all),
    },
  ];
}
