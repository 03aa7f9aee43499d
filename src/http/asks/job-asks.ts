import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { ownerOf, type Principal } from '../../identity/principal.ts';
import { converse, type ConversationParts } from '../../planner/conversation.ts';
import type { Dialect, ToldAnswer } from '../../planner/dialect.ts';
import type { Reason } from '../../planner/reasons.ts';
import { acceptOffer } from '../../planner/record/ledger.ts';
import { fetchSource } from '../../runners/fetch-source.ts';
import type { Site } from '../../site/site.ts';
import type { UwsDeps } from '../../uws/call.ts';
import type { RawDocument } from '../../uws/read/body.ts';
import { parseOfferId, type JobId, type NonEmpty, type OfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { unwrap } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { principalOf } from '../identified.ts';
import { decisionKeyOf } from './idempotency.ts';
import { destroyed } from './offer-updates.ts';
import { openRequestOf } from './request-of.ts';
import type { RoomToKeep } from './room-to-keep.ts';
import { tryLater } from './try-later.ts';

export type JobAskParts = {
  readonly conversation: ConversationParts;
  readonly dialects: NonEmpty<Dialect>;
  readonly site: () => Site;
  readonly roomToKeep: RoomToKeep;
  readonly documents: Documents;
  readonly decided: (verdict: string) => void;
};

type JobAsks = Pick<
  UwsDeps,
  'askFor' | 'fetchDocument' | 'requestOf' | 'requireRoom' | 'offersPath' | 'howToAccept'
>;
type StartedBy = 'AUTO' | 'CLIENT';

/**
 * Jobs from task descriptions, without a look at the offers: what a client does with an ask and an
 * accept, in one request (UWS § 2.2.3.1).
 */
export function openJobAsks({
  conversation,
  dialects,
  site,
  roomToKeep,
  documents,
  decided,
}: JobAskParts): JobAsks {
  const { database } = conversation;
  const [{ routes, howToAccept }] = dialects;

  async function askFor(
    { format, bytes }: RawDocument,
    request: Request,
    start: StartedBy,
  ): Promise<JobId> {
    const principal = principalOf(request);
    let dialect: Dialect = dialects[0];
    return converse(conversation, {
      principal,
      open: async () => {
        const document = await documents.read(bytes, format === 'json');
        dialect = dialectOf(document, dialects);
        const ask = unwrap(document, dialect.wrappers.ask);
        dialect.requireShape(ask);
        return dialect.open(ask);
      },
      key: () =>
        decisionKeyOf(request, () => createHash('sha256').update(bytes).digest('base64url')),
      isDryRun: false,
      wantsNearest: false,
      tell: (answer) => acceptFirst(answer, dialect, principal, start),
    });
  }

  /** The first offer, or the one whose job is there since the same request came before. */
  async function acceptFirst(
    answer: ToldAnswer,
    dialect: Dialect,
    principal: Principal,
    start: StartedBy,
  ): Promise<JobId> {
    if ('reasons' in answer) throw refused(answer.reasons, dialect);
    const offer = answer.kind === 'yes' ? parseOfferId(answer.offers[0]?.id ?? '') : undefined;
    if (offer === undefined) throw new Error('a YES has no offer that can be accepted');
    return accept(offer, principal, start);
  }

  async function accept(id: OfferId, principal: Principal, start: StartedBy): Promise<JobId> {
    const { queueLimit, keepResults } = site().offers;
    const { verdict, state, winner } = await acceptOffer(database, id, ownerOf(principal), {
      start,
      queueLimit,
      keepResults,
    });
    decided(`accepted:${verdict}`);
    switch (verdict) {
      case 'accepted':
      case 'again':
        return id;
      case 'sibling':
        return winner ?? id;
      case 'destroyed':
        throw destroyed(id, state);
      default:
        throw new Problem(
          'offer-not-accepted',
          `Offer ${id}, which was made for this job, is ${verdict}; send the description again.`,
        );
    }
  }

  async function fetchDocument(url: string): Promise<string> {
    const fetched = await fetchSource(url, site().fetch);
    if (fetched.ok) return fetched.content.toString('utf8');
    throw new Problem(
      'parameter-invalid',
      `REQUEST names ${url.slice(0, 200)}, which cannot be read: ${fetched.message}.`,
      { errors: [{ path: 'REQUEST', text: fetched.message }] },
    );
  }

  return {
    askFor,
    fetchDocument,
    howToAccept,
    offersPath: routes.offer.slice(0, -'/:ident'.length),
    requestOf: openRequestOf(database, dialects),
    requireRoom: (request, bytes) => roomToKeep(principalOf(request), bytes),
  };
}

/**
 * The dialect that knows a document, which may have a key of its own around
 * it; the first where none does.
 */
function dialectOf(document: unknown, dialects: NonEmpty<Dialect>): Dialect {
  return (
    dialects.find(({ isAsk, wrappers }) => isAsk(unwrap(document, wrappers.ask))) ?? dialects[0]
  );
}

function refused(grouped: readonly Reason[], dialect: Dialect): Problem {
  const reasons = dialect.printReasons(grouped);
  const lines = reasons.map(({ code, path, text }) => `\n- ${path}: ${text} [${code}]`).join('');
  return new Problem('job-refused', `The planner says no.${lines}`, {
    errors: reasons.map(({ path, text }) => ({ path, text })),
    headers: tryLater(grouped.map(({ code }) => code)),
  });
}
