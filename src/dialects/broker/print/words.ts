import type { components } from '../../../generated/api.d.ts';
import type { SessionState } from '../../../planner/states.ts';
import {
  NEWEST,
  isBrokerRequest,
  spellingOf,
  type BrokerRequest,
  type Spelling,
} from '../generations.ts';
import { viewOf, type RequestView } from '../view.ts';

type Schemas = components['schemas'];
export type WireMessage = Schemas['BrokerMessage'];
export type WireSession = Schemas['BrokerSession'];
export type WireOfferSet = Schemas['BrokerOfferSet'];
export type WireExecutable = Schemas['BrokerExecutable'];
export type WireCompute = Schemas['BrokerCompute'];
export type WireStorage = Schemas['BrokerStorage'];
export type WireData = Schemas['BrokerData'];
export type WireSchedule = Schemas['BrokerSchedule'];

/** For whom something is printed: the URL of the service, and the request if it is the broker's. */
export type PrintedFor = {
  /** as the client sees it, without a slash at its end */
  readonly base: string;
  readonly spelling: Spelling;
  /** undefined: the client asked in another dialect */
  readonly request: BrokerRequest | undefined;
  readonly view: RequestView | undefined;
};

/** How to print for the client of a document, of this dialect or another. */
export function printedFor(document: unknown, base: string): PrintedFor {
  return isBrokerRequest(document)
    ? { base, spelling: spellingOf(document), request: document, view: viewOf(document) }
    : { base, spelling: NEWEST, request: undefined, view: undefined };
}

/** `kind` or `type` with a URI, whichever the generation has. */
export function saidKind(
  { key }: Spelling,
  uri: string,
): { readonly kind: string } | { readonly type: string } {
  return key === 'kind' ? { kind: uri } : { type: uri };
}

/** The phase of a session; the drafts of 2024 call it READY when all is there before the start. */
export function sessionPhase({ generation }: Spelling, state: SessionState): string {
  return generation === 'types' && state === 'AVAILABLE' ? 'READY' : state;
}

/** The phase of a part of a session, which is nothing before the offer is accepted. */
export function partPhaseOf(spelling: Spelling, state: SessionState | 'PROPOSED'): string {
  switch (state) {
    case 'PROPOSED':
    case 'OFFERED':
    case 'ACCEPTED':
      return 'INITIALIZING';
    case 'REJECTED':
    case 'EXPIRED':
      return 'CANCELLED';
    default:
      return sessionPhase(spelling, state);
  }
}
