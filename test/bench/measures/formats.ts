import { load as loadYaml } from 'js-yaml';
import { writeXml } from '../../../src/xml/document.ts';
import { openMapping } from '../../../src/xml/mapping.ts';
import { readContract } from '../../../src/http/service-routes.ts';
import type { LoadGenerator } from '../load.ts';
import type { BenchPlanner } from '../planners.ts';
import type { Fact } from '../sample.ts';
import { YES_ASK } from '../site.ts';
import { emptyBook } from './book.ts';
import { PARTS, postmasterOf, timesOf } from './costs.ts';

const ROUNDS = 7;
const CONNECTIONS = 8;

/**
 * Processor time of an ask in JSON and in XML, in turn: of the planner alone, and of all parts that
 * answer it.
 */
export async function measureFormats(
  planner: BenchPlanner,
  load: LoadGenerator,
  amount: number,
): Promise<readonly Fact[]> {
  const ask: unknown = loadYaml(YES_ASK);
  const { document } = await readContract();
  const [asXml] = openMapping(document).sent('POST', '/request');
  const json = { type: 'application/json', body: JSON.stringify(ask) };
  const xml = { type: 'application/xml', body: writeXml(ask, asXml) };
  const postmaster = await postmasterOf(planner);
  const timeOf = async (format: typeof json): Promise<readonly [number, number]> => {
    await emptyBook(planner.client);
    const url = `${planner.server.url}/request`;
    const before = await timesOf(planner, postmaster);
    await load.send({ ...format, url, method: 'POST', amount, connections: CONNECTIONS });
    const after = await timesOf(planner, postmaster);
    const all = PARTS.reduce((sum, part) => sum + after[part] - before[part], 0);
    return [(after.planner - before.planner) / amount, all / amount];
  };
  const rounds: (readonly [inJson: readonly [number, number], inXml: readonly [number, number]])[] =
    [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const both = [await timeOf(json), await timeOf(xml)] as const;
    if (round > 0) rounds.push(both);
  }
  await emptyBook(planner.client);
  const name = 'processor time of an ask in XML, YES';
  return [
    { name: `${name}, planner`, unit: 'ms', values: rounds.map(([, [own]]) => own) },
    {
      name: `${name}, planner, of that in JSON`,
      unit: 'times',
      values: rounds.map(([[json], [xml]]) => xml / json),
    },
    {
      name: `${name}, all parts, of that in JSON`,
      unit: 'times',
      values: rounds.map(([[, json], [, xml]]) => xml / json),
    },
  ];
}
