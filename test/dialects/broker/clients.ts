import type { DialectClient, HeardAnswer } from '../contract.ts';
import { K, OWN, T, V1 } from './requests.ts';

const PHASE = { path: 'phase', value: 'ACCEPTED' };

function newer(name: string, executable: object, compute: string): DialectClient {
  const request = (cores: number) => ({
    executable,
    compute: { kind: compute, cores: { min: cores } },
    schedule: { requested: { duration: 'PT30M' } },
  });
  return {
    name,
    route: '/requests',
    wrapper: 'request',
    ask: request,
    coresAt: 'compute.cores.min',
    strange: { ask: { executable, compute: { colour: 'red' } }, at: 'compute.colour' },
    noAsk: { executable: { name: 'none' } },
    accept: { kind: 'uri:enum-value-update', ...PHASE },
    reject: { update: { kind: 'uri:string-value-update', path: '/phase', value: 'REJECTED' } },
    noUpdate: { kind: 'uri:integer-delta-update', path: 'compute.cores', delta: 1 },
    hear: (document) => {
      const { meta, ...rest } = Object(document);
      return heard(rest, meta.messages, (offer) => {
        const { meta: own, compute: machine } = Object(offer);
        return { id: own?.uuid, url: own?.url, cores: machine.cores.min };
      });
    },
    stateOf: (document) => Object(document).phase,
  };
}

function older(name: string, executable: object, compute: string): DialectClient {
  const request = (cores: number) => ({
    name: 'exp-1',
    executable,
    resources: { compute: [{ type: compute, cores: { requested: { min: cores } } }] },
    schedule: { requested: { duration: 'PT30M' } },
  });
  return {
    name,
    route: '/offersets',
    wrapper: 'request',
    ask: request,
    coresAt: 'resources.compute[0].cores.requested.min',
    strange: { ask: { executable, resources: { colour: 'red' } }, at: 'resources.colour' },
    noAsk: { executable: 'sort' },
    accept: { update: { type: 'uri:enum-value-update', path: 'state', value: 'ACCEPTED' } },
    reject: { type: 'uri:enum-value-update', path: '/state', value: 'REJECTED' },
    noUpdate: { type: 'uri:enum-value-update', path: 'state', value: 'LOVED' },
    hear: (document) => {
      const { messages, ...rest } = Object(document);
      return heard(rest, messages, (offer) => {
        const { uuid, href, resources } = Object(offer);
        return { id: uuid, url: href, cores: resources.compute[0].cores.offered.min };
      });
    },
    stateOf: (document) => Object(document).state,
  };
}

function heard(
  { result, offers, extras = [] }: { result: string; offers: object[]; extras?: object[] },
  messages: object[],
  offerOf: (offer: object) => HeardAnswer['offers'][number],
): HeardAnswer {
  const nearest = extras.find((one) => Object(one).kind === `${OWN}/offerset/nearest-1.0`);
  return {
    isYes: result === 'YES',
    offers: offers.map(offerOf),
    reasons: messages.map((one) => ({ path: Object(one).values.path, text: Object(one).message })),
    nearest: nearest && Object(nearest).request,
  };
}

const command = ['sort'];

/** A client of each generation; all run a program of the machine. */
export const brokerClients: readonly DialectClient[] = [
  newer(
    'broker of 2026',
    { kind: `${OWN}/executable/executable-1.0`, command },
    `${K}/compute/simple-compute-resource.yaml`,
  ),
  newer(
    'broker of 2025',
    { kind: `${V1}/executable/executable-1.0`, command },
    `${V1}/computer/simple-compute-resource-1.0`,
  ),
  older(
    'broker of 2024',
    { type: `${T}/executables/executable-1.0`, command },
    `${T}/resources/compute/simple-compute-resource-1.0`,
  ),
];
