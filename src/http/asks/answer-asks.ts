import type { Request, RequestHandler } from 'express';
import { clientOf } from '../../identity/client.ts';
import type { Principal } from '../../identity/principal.ts';
import { converse, type ConversationParts } from '../../planner/conversation.ts';
import type { Asking, Dialect, DialectReply, ToldAnswer } from '../../planner/dialect.ts';
import { bodyParser } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { passThrough } from '../body/pass-through.ts';
import { reply } from '../body/reply.ts';
import { principalOf } from '../identified.ts';
import { readDecisionKey } from './idempotency.ts';
import { tryLater } from './try-later.ts';

export type AnsweringParts = {
  readonly conversation: ConversationParts;
  readonly baseUrl: (request: Request) => string;
  readonly documents: Documents;
  /** largest body of an ask, KiB */
  readonly maxBodyKib: number;
  /** holds requests against the contract; undefined: the contract does not have this dialect */
  readonly checked: RequestHandler | undefined;
};

/** The answer to an ask, and whom to tell. */
export type AskHeard = {
  readonly answer: ToldAnswer;
  readonly asking: Asking;
  readonly principal: Principal;
  /** URL of the service as the client sees it */
  readonly base: string;
};

/** What a request with an ask is for. */
export type Purpose = {
  readonly mayBeDry: boolean;
  readonly tell: (heard: AskHeard) => DialectReply | Promise<DialectReply>;
};

export const ASKS: Purpose = {
  mayBeDry: true,
  tell: ({ answer, asking, base }) => asking.printAnswer(answer, base),
};

/** Answers asks in one dialect. */
export function answerAsks(
  dialect: Dialect,
  { conversation, baseUrl, documents, maxBodyKib, checked }: AnsweringParts,
  checks: readonly RequestHandler[],
  { mayBeDry, tell }: Purpose,
): RequestHandler {
  const read = passThrough(...bodyParser(dialect.wrappers.ask, maxBodyKib, documents), ...checks);
  return (request, response) => {
    const principal = principalOf(request);
    const isDryRun = mayBeDry && isSaid(request, 'dry-run', false);
    return converse(conversation, {
      principal,
      client: clientOf(principal, request.ip ?? ''),
      open: async () => {
        await read(request, response);
        if (checked === undefined) dialect.requireShape(request.body);
        return dialect.open(request.body);
      },
      key: () => (isDryRun ? undefined : readDecisionKey(request)),
      isDryRun,
      wantsNearest: isSaid(request, 'nearest', true),
      tell: async (answer, asking) => {
        const heard = { answer, asking, principal, base: baseUrl(request) };
        const { status, headers, document } = await tell(heard);
        response.set(tryLater('reasons' in answer ? answer.reasons : [])).set(headers);
        reply(request, response, status, document);
      },
    });
  };
}

/** A switch in the query, `true` or `false` by the contract. */
function isSaid(request: Request, name: 'dry-run' | 'nearest', otherwise: boolean): boolean {
  return String(request.query[name] ?? otherwise) === 'true';
}
