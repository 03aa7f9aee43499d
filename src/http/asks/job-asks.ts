import { clientOf } from '../../identity/client.ts';
import { converse, type ConversationParts } from '../../planner/conversation.ts';
import type { Dialect } from '../../planner/dialect.ts';
import type { Site } from '../../site/site.ts';
import type { UwsCall, UwsDeps } from '../../uws/call.ts';
import type { RawDocument } from '../../uws/read/body.ts';
import type { JobId, NonEmpty } from '../../words/ids.ts';
import { unwrap } from '../body/body.ts';
import type { Documents } from '../body/documents.ts';
import { principalOf } from '../identified.ts';
import { readJobKey } from './idempotency.ts';
import { acceptFirst, type StartedBy } from './job-answers.ts';
import { fetchDescription, openRequestOf } from './job-documents.ts';
import { folderOf } from './open-dialects.ts';
import type { RoomToKeep } from './room-to-keep.ts';

type JobAskParts = {
  readonly conversation: ConversationParts;
  readonly dialects: NonEmpty<Dialect>;
  readonly site: () => Site;
  readonly roomToKeep: RoomToKeep;
  readonly documents: Documents;
  /** largest task description, KiB, wherever it comes from */
  readonly maxBodyKib: number;
  readonly decided: (verdict: string) => void;
};

/** The job list has two paths; the contract has this one. */
const JOB_LIST = { method: 'POST', path: '/jobs' };

type JobAsks = Pick<
  UwsDeps,
  'askFor' | 'fetchDocument' | 'requestOf' | 'requireRoom' | 'offersPath' | 'howToAccept'
>;

/** Jobs from task descriptions: an ask and an accept in one request (UWS 1.1 § 2.2.3.1). */
export function openJobAsks({
  conversation,
  dialects,
  site,
  roomToKeep,
  documents,
  maxBodyKib,
  decided,
}: JobAskParts): JobAsks {
  const { database } = conversation;
  const [{ routes, howToAccept }] = dialects;

  async function askFor(
    read: () => Promise<RawDocument>,
    call: UwsCall,
    start: StartedBy,
  ): Promise<JobId> {
    const { req: request } = call;
    const principal = principalOf(request);
    let dialect: Dialect = dialects[0];
    let sent: Uint8Array = new Uint8Array();
    return converse(conversation, {
      principal,
      client: clientOf(principal, request.ip ?? ''),
      open: async () => {
        const { format, bytes } = await read();
        sent = bytes;
        const document = await documents.read(bytes, format, JOB_LIST);
        dialect = dialectOf(document, dialects);
        const ask = unwrap(document, dialect.wrappers.ask);
        dialect.requireShape(ask);
        return dialect.open(ask);
      },
      key: () => readJobKey(call, sent),
      isDryRun: false,
      wantsNearest: false,
      tell: (answer) => acceptFirst({ database, site, decided }, answer, dialect, principal, start),
    });
  }

  return {
    askFor,
    fetchDocument: (url) => fetchDescription(url, site(), maxBodyKib),
    howToAccept,
    offersPath: folderOf(routes.offer),
    requestOf: openRequestOf(database, dialects),
    requireRoom: (request, bytes) => roomToKeep(principalOf(request), bytes),
  };
}

/** The dialect that knows a document, with or without its wrapper; the first one if none does. */
function dialectOf(document: unknown, dialects: NonEmpty<Dialect>): Dialect {
  return (
    dialects.find(({ isAsk, wrappers }) => isAsk(unwrap(document, wrappers.ask))) ?? dialects[0]
  );
}
