import { isBrokerRequest, type BrokerRequest } from '../../../src/dialects/broker/generations.ts';
import { openRequest } from '../../../src/dialects/broker/opened.ts';
import { readBrokerRequest } from '../../../src/dialects/broker/read/read.ts';
import { vocabularyOf } from '../../../src/http/asks/vocabulary.ts';
import type { Ask } from '../../../src/planner/ask.ts';
import type { Refusal } from '../../../src/planner/refusal.ts';
import { builtInKnown } from '../../../src/plugins/types.ts';
import { contractFaults } from '../../harness/contract.ts';
import { siteOf } from '../../harness/asks.ts';

const plain = siteOf({ a: {} });
const site = {
  ...plain,
  fetch: { ...plain.fetch, registries: ['ghcr.io', 'docker.io'] },
  s3: [
    {
      endpoint: 'https://s3.example.org',
      region: 'us-east-1',
      credentials: undefined,
      buckets: undefined,
    },
  ],
};
export const vocabulary = vocabularyOf(builtInKnown, site);

/** URIs of each generation. */
export const K = 'https://www.purl.org/ivoa.net/Calycopis-openapi/schema/v1.0/kinds';
export const V1 = 'https://www.purl.org/ivoa.net/EB/schema/v1.0/types';
export const T = 'https://www.purl.org/ivoa.net/EB/schema/types';
export const OWN = 'https://www.purl.org/ivoa-net/execution-planner/kinds';

export const container = {
  kind: `${K}/executable/docker-container.yaml`,
  image: { locations: ['ghcr.io/ivoa/example:1.0'] },
};

/** A request that has the shape of the contract. */
export function requestOf(body: object): BrokerRequest {
  const faults = contractFaults('BrokerRequest', body);
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  if (isBrokerRequest(body)) return body;
  throw new Error('not a request');
}

/** The ask of a request that is understood. */
export function askOf(body: object): Ask {
  const understood = readBrokerRequest(openRequest(requestOf(body)), vocabulary);
  if (understood.ok) return understood.ask;
  throw new Error(JSON.stringify(understood.refusals));
}

/** Code and place of each reason why a request is not understood. */
export function reasonsOf(body: object): readonly string[] {
  return refusalsOf(body).map(({ code, place }) => `${code} ${'path' in place ? place.path : ''}`);
}

export function refusalsOf(body: object): readonly Refusal[] {
  const understood = readBrokerRequest(openRequest(requestOf(body)), vocabulary);
  return understood.ok ? [] : understood.refusals;
}
