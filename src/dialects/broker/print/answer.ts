import type { components } from '../../../generated/api.d.ts';
import type { DialectReply, ToldAnswer, ToldReasons } from '../../../planner/dialect.ts';
import type { Change } from '../../../planner/nearest/change.ts';
import type { DirectAnswer } from '../../../planner/session.ts';
import type { AskId } from '../../../words/ids.ts';
import { printInstant } from '../../../words/iso8601.ts';
import { timeOfUuid } from '../../../words/uuid.ts';
import { EXTRA } from '../extras.ts';
import { uriOf } from '../generations.ts';
import { openRequest } from '../opened.ts';
import { reviseRequest, type ToldChange } from '../revise.ts';
import { printMessage, reasonMessages, type MessageText } from './messages.ts';
import { nameFrom, printProposed, printSession } from './session.ts';
import {
  saidKind,
  type PrintedFor,
  type WireMessage,
  type WireOfferSet,
  type WireSession,
} from './words.ts';

type AnswerExtra = components['schemas']['BrokerAnswerExtra'];

/** The answer to a request: a redirect to the set of offers, which is in the body, too. */
export function printBrokerAnswer(answer: ToldAnswer, to: PrintedFor): DialectReply {
  const document = printOfferSet(answer, to);
  if (!('ask' in answer)) return { status: 200, headers: {}, document };
  const location = `${to.base}/offersets/${answer.ask}`;
  return { status: 303, headers: { Location: location }, document };
}

/** A set of offers, or the messages of a NO. That of a dry run has no ids. */
export function printOfferSet(answer: ToldAnswer, to: PrintedFor): WireOfferSet {
  switch (answer.kind) {
    case 'yes':
      return offerSetOf(to, answer.ask, {
        offers: answer.offers.map((offer) => printSession(offer, to)),
      });
    case 'would-be-yes':
      return offerSetOf(to, undefined, {
        offers: answer.offers.map((offer) => printProposed(offer, to)),
      });
    case 'no':
      return offerSetOf(to, answer.ask, { no: answer });
    case 'would-be-no':
      return offerSetOf(to, undefined, { no: answer });
    default:
      return answer satisfies never;
  }
}

/** The answer to a request that is executed at once: the session, or one that has failed. */
export function printDirectAnswer(answer: DirectAnswer, to: PrintedFor): DialectReply {
  const { base } = to;
  if (answer.kind === 'accepted') {
    const document = printSession(answer.offer, to);
    return { status: 303, headers: { Location: `${base}/sessions/${answer.offer.id}` }, document };
  }
  return { status: 400, headers: {}, document: failedSession(answer, to) };
}

function offerSetOf(
  to: PrintedFor,
  ask: AskId | undefined,
  answer: { readonly offers: WireSession[] } | { readonly no: ToldReasons },
): WireOfferSet {
  const { base, spelling } = to;
  const isNo = 'no' in answer;
  const at = ask && timeOfUuid(ask);
  const messages = isNo ? reasonMessages(answer.no.reasons, at, to) : [];
  const url = `${base}/offersets/${ask}`;
  const extras: readonly AnswerExtra[] = [
    ...(ask === undefined
      ? []
      : [{ kind: EXTRA.explain, location: `${base}/asks/${ask}/explain` }]),
    ...(isNo ? nearestOf(answer.no, at, to) : []),
  ];
  const rest = {
    result: isNo ? ('NO' as const) : ('YES' as const),
    offers: isNo ? [] : answer.offers,
    ...(extras.length === 0 ? {} : { extras: [...extras] }),
  };
  const kind = saidKind(spelling, uriOf(spelling, 'offerset', 'execution-offerset'));
  const created = at === undefined ? {} : { created: printInstant(at) };
  if (spelling.generation === 'types')
    return {
      ...kind,
      ...(ask === undefined ? {} : { uuid: ask, href: url }),
      ...nameFrom(to),
      ...created,
      ...rest,
      messages,
    };
  return {
    ...kind,
    meta: {
      ...(ask === undefined ? {} : { uuid: ask, url }),
      ...nameFrom(to),
      ...created,
      messages,
      options: [],
    },
    ...rest,
  };
}

/** What would be a YES: what changes, and the changed request, which can be sent. */
function nearestOf(
  { nearest }: ToldReasons,
  at: number | undefined,
  to: PrintedFor,
): readonly AnswerExtra[] {
  if (nearest === undefined || to.request === undefined) return [];
  const { request, told } = revisedBy(to.request, nearest.changes);
  const changes = told.map((change) => changeMessage(to, at, change));
  return [{ kind: EXTRA.nearest, destination: nearest.destination, changes, request }];
}

function revisedBy(request: NonNullable<PrintedFor['request']>, changes: readonly Change[]) {
  return reviseRequest(openRequest(request), changes);
}

function changeMessage(
  to: PrintedFor,
  at: number | undefined,
  { path, from, to: value }: ToldChange,
): WireMessage {
  const template = `{path}: ${value === undefined ? 'left out' : '{to}'}${
    from === undefined ? '' : value === undefined ? ' (it was {from})' : ' instead of {from}'
  }`;
  const values: MessageText['values'] = {
    path,
    ...(from === undefined ? {} : { from: textOf(from) }),
    ...(value === undefined ? {} : { to: textOf(value) }),
  };
  return printMessage(to, 'INFO', at, { template, values });
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The answer to a direct request that is not executed; the record of the answer has its id. */
function failedSession(
  { ask, reasons }: Extract<DirectAnswer, { readonly kind: 'no' }>,
  to: PrintedFor,
): WireSession {
  const { base, spelling, request } = to;
  const at = timeOfUuid(ask);
  const messages = reasonMessages(reasons, at, to);
  // The Python client that is generated from the schema of 2026 cannot read a simple session: its
  // class calls itself until the stack is full.
  const kind = saidKind(spelling, uriOf(spelling, 'session', 'scheduled-execution-session'));
  const executable = request?.executable ?? {};
  const rest = {
    phase: 'FAILED',
    executable,
    extras: [{ kind: EXTRA.explain, location: `${base}/asks/${ask}/explain` }],
  };
  const created = printInstant(at);
  if (spelling.generation === 'types')
    return { ...kind, uuid: ask, ...nameFrom(to), created, state: 'FAILED', ...rest, messages };
  return { ...kind, meta: { uuid: ask, ...nameFrom(to), created, messages, options: [] }, ...rest };
}
