import { createHash } from 'node:crypto';
import type { Request } from 'express';
import type { Database } from '../../db/client.ts';
import { printReasons } from '../../dialects/seed/print-reasons.ts';
import { readSeedAsk } from '../../dialects/seed/read.ts';
import { wordingOf } from '../../dialects/seed/wording.ts';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import { acceptOffer } from '../../planner/record/ledger.ts';
import type { Planner } from '../../planner/planner.ts';
import { findDecision, readAnswer } from '../../planner/record/recorded-answer.ts';
import type { Reason } from '../../planner/reasons.ts';
import type { KnownTypes } from '../../plugins/types.ts';
import type { Rates } from '../../quotas/rates.ts';
import { quotasOf } from '../../quotas/scopes.ts';
import { fetchSource } from '../../runners/fetch-source.ts';
import type { Site } from '../../site/site.ts';
import type { RawDocument } from '../../uws/read/body.ts';
import type { UwsDeps } from '../../uws/call.ts';
import type { AskId, JobId, OfferId } from '../../words/ids.ts';
import { parseOfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { openAskShape } from './ask-shape.ts';
import { unwrap } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { decisionKeyOf } from './idempotency.ts';
import { principalOf } from '../identified.ts';
import { destroyed } from './offer-updates.ts';
import { openRequestOf } from './request-of.ts';
import { recordBytes, type RoomToKeep } from './room-to-keep.ts';
import type { Contract } from '../service-routes.ts';
import { tooManyAsks } from './too-many-asks.ts';
import { tryLater } from './try-later.ts';
import { vocabularyOf } from './vocabulary.ts';

export type JobAskParts = {
  readonly database: Database;
  readonly planner: Planner;
  readonly site: () => Site;
  readonly types: KnownTypes;
  readonly rates: Rates;
  readonly roomToKeep: RoomToKeep;
  readonly contract: Contract;
  readonly documents: Documents;
  readonly decided: (verdict: string) => void;
};

const refused = (grouped: readonly Reason[]): Problem => {
  const { reasons } = printReasons(grouped);
  const lines = reasons.map(({ code, path, text }) => `\n- ${path}: ${text} [${code}]`).join('');
  return new Problem('job-refused', `The planner says no.${lines}`, {
    errors: reasons.map(({ path, text }) => ({ path, text })), headers: tryLater(grouped.map(({ code }) => code)),
  });
};

const jobOf = (id: string): JobId => {
  const job = parseOfferId(id);
  if (job === undefined) throw new Error(`${id} is no id of a job`);
  return job;
};

/**
 * Jobs from task descriptions, without a look at the offers: what a client does with POST /request and an accept, in one
 * request (UWS § 2.2.3.1).
 */
export const openJobAsks = ({ database, planner, site, types, rates, roomToKeep, contract, documents, decided }: JobAskParts): Pick<UwsDeps, 'askFor' | 'fetchDocument' | 'requestOf' | 'requireRoom'> => {
  const shape = openAskShape(contract);

  const accept = async (id: OfferId, principal: Principal, start: 'AUTO' | 'CLIENT'): Promise<JobId> => {
    const { queueLimit, keepResults } = site().offers;
    const { verdict, state, winner } = await acceptOffer(database, id, ownerOf(principal), { start, queueLimit, keepResults });
    decided(`accepted:${verdict}`);
    switch (verdict) {
      case 'accepted':
      case 'again': return jobOf(id);
      case 'sibling': return jobOf(winner ?? id);
      case 'destroyed': throw destroyed(id, state);
      default: throw new Problem('offer-not-accepted', `Offer ${id}, which was made for this job, is ${verdict}; send the description again.`);
    }
  };

  /** Of the first offer, or of the one whose job is there since the same request came before. */
  const acceptOne = async (ask: AskId, principal: Principal, start: 'AUTO' | 'CLIENT'): Promise<JobId> => {
    const answer = await readAnswer(database, ask);
    if (answer.result === 'NO') throw refused(answer.reasons);
    const [first] = answer.offers;
    if (first === undefined) throw new Error(`ask ${ask} has no offers`);
    return accept(first.id, principal, start);
  };

  const askFor = async ({ format, bytes }: RawDocument, request: Request, start: 'AUTO' | 'CLIENT'): Promise<JobId> => {
    const principal = principalOf(request);
    const wait = rates.take(quotasOf(site().quotas, principal));
    if (wait !== undefined) throw tooManyAsks(wait);
    const body = shape(unwrap(await documents.read(bytes, format === 'json'), 'request'));
    const key = decisionKeyOf(request, () => createHash('sha256').update(bytes).digest('base64url'));
    const before = key && await findDecision(database, ownerOf(principal), key);
    if (before !== undefined) return acceptOne(before, principal, start);
    const understood = readSeedAsk(body, vocabularyOf(types, site()));
    await roomToKeep(principal, recordBytes(body));
    const options = { document: body, key, wording: wordingOf(body) };
    const answer = understood.ok ? await planner.ask(understood.ask, principal, options) : await planner.refuse(understood.refusals, principal, options);
    switch (answer.result) {
      case 'AGAIN': return acceptOne(answer.ask, principal, start);
      case 'NO': throw refused(answer.reasons);
      case 'YES': return accept(answer.offers[0].id, principal, start);
      default: return answer satisfies never;
    }
  };

  const fetchDocument = async (url: string): Promise<string> => {
    const fetched = await fetchSource(url, site().fetch);
    if (fetched.ok) return fetched.content.toString('utf8');
    throw new Problem('parameter-invalid', `REQUEST names ${url.slice(0, 200)}, which cannot be read: ${fetched.message}.`, { errors: [{ path: 'REQUEST', text: fetched.message }] });
  };

  return { askFor, fetchDocument, requestOf: openRequestOf(database), requireRoom: (request, bytes) => roomToKeep(principalOf(request), bytes) };
};
