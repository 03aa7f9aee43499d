import express, { type Express, type Request, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Trail } from '../audit/trail.ts';
import type { Database } from '../db/client.ts';
import type { OpenDialect } from '../dialects/all.ts';
import type { Doorkeeper } from '../identity/identify.ts';
import { openNames } from '../identity/names.ts';
import { openSignIns } from '../identity/sign-in/sign-ins.ts';
import { NO_PEERS, type Peers } from '../peers/channel.ts';
import type { ConversationParts } from '../planner/conversation.ts';
import type { Dialect } from '../planner/dialect.ts';
import type { Planner } from '../planner/planner.ts';
import type { KnownTypes } from '../plugins/types.ts';
import type { Settings } from '../settings.ts';
import type { Site } from '../site/site.ts';
import type { UwsDeps } from '../uws/call.ts';
import { uwsErrors } from '../uws/errors.ts';
import type { Waiters } from '../uws/live/waiters.ts';
import { uwsRoutes } from '../uws/routes.ts';
import type { EngineStates } from '../vosi/engines.ts';
import type { NonEmpty } from '../words/ids.ts';
import type { Configuration } from './admin/configuration.ts';
import { drainRoutes } from './admin/drain-routes.ts';
import { openAllowances, type Allowances } from './asks/allowances.ts';
import { askRoutes, dialectRoutes, type DialectRouteParts } from './asks/dialect-routes.ts';
import { openJobAsks } from './asks/job-asks.ts';
import {
  askPathsOf,
  isInContract,
  jsonPathsOf,
  openDialects,
  placesOfDialects,
  versionsOf,
} from './asks/open-dialects.ts';
import { recordBytes, type RoomToKeep } from './asks/room-to-keep.ts';
import { vocabularyOf } from './asks/vocabulary.ts';
import { auditChanges } from './audit.ts';
import { contractCheck } from './body/contract-check.ts';
import type { Documents } from './body/documents.ts';
import { preferJsonAt } from './body/representation.ts';
import { speakXml } from './body/xml-mapping.ts';
import { nameAnswers } from './edge/answer-names.ts';
import { baseUrlOf } from './edge/base-url.ts';
import { compressAnswers } from './edge/compress.ts';
import { openEdge } from './edge/edge.ts';
import { guardingHeaders, helmetHeaders } from './edge/guarding-headers.ts';
import { inOne } from './edge/in-one.ts';
import { answerOptions } from './edge/options.ts';
import type { HealthCheck } from './health-checks.ts';
import { identifyRequest, principalOf } from './identified.ts';
import type { Metrics } from './metrics/metrics.ts';
import { openRoutes } from './open-routes.ts';
import { ownRoutes } from './own-routes.ts';
import { problemHandler } from './problems.ts';
import type { Contract } from './service-routes.ts';
import { openSessionWait } from './sessions/waits.ts';
import { openBrowserCookies } from './sign-in/browser-cookies.ts';

export type AppParts = {
  readonly settings: Pick<
    Settings,
    'host' | 'hosts' | 'publicUrl' | 'trustProxy' | 'maxBodyKib' | 'jobsDirectory'
  >;
  readonly database: Database;
  readonly planner: Planner;
  /** reads what the URLs of asks hold; absent: nobody does */
  readonly readUrl?: ConversationParts['readUrl'];
  readonly waiters: Waiters;
  readonly doorkeeper: Doorkeeper;
  /** the site in force, with its drains */
  readonly site: () => Site;
  /** reads the drains again, after a change */
  readonly readDrains: () => Promise<void>;
  readonly types: () => KnownTypes;
  /** the list in `src/dialects/all.ts` */
  readonly dialects: readonly OpenDialect[];
  readonly metrics: Metrics;
  readonly checks: readonly HealthCheck[];
  /** absent for a service without executors */
  readonly engines?: () => Promise<EngineStates>;
  /** for the overview */
  readonly configuration?: () => Configuration;
  readonly contract: Contract;
  readonly documents: Documents;
  readonly trail: Trail;
  readonly log: Logger;
  /** the other planners of the service; absent: none */
  readonly peers?: Peers;
};

/** What asks need that come over HTTP and over the job list. */
type AskingParts = {
  readonly baseUrl: (request: Request) => string;
  readonly dialects: NonEmpty<Dialect>;
  readonly conversation: ConversationParts;
  readonly roomToKeep: RoomToKeep;
};

/** Longest UWS WAIT, seconds: below the usual TCP time-outs, also for WAIT=-1 (UWS § 2.2.1.2). */
const WAIT_CAP_S = 60;
const WAITS = { perOwner: 1000, perAddress: 100 };
const LONGEST_KEEP_S = 30 * 86_400;

/**
 * Builds the HTTP side of the service: the planner's conversation, the UWS worker, the contract,
 * health and metrics.
 */
export function createApp(parts: AppParts): Express {
  const { settings, database, documents, contract, site, log, peers = NO_PEERS } = parts;
  const baseUrl = baseUrlOf(settings.publicUrl);
  const dialects = openDialects(parts.dialects, contract);
  const edge = openEdge({
    settings,
    allowOrigins: () => site().http.allowOrigins,
    hasVersions: versionsOf(dialects),
  });
  const options = answerOptions(contract, placesOfDialects(dialects, contract));
  const signing = {
    doorkeeper: parts.doorkeeper,
    signIns: openSignIns(database, Date.now),
    cookies: openBrowserCookies({ baseUrl, mayAct: edge.mayAct }),
    names: openNames(database, Date.now),
  };
  const identify = identifyRequest(signing);
  const allowances = openAllowances(database, site, peers);
  const conversation = conversationOf(parts, allowances);
  const asking = { baseUrl, dialects, conversation, roomToKeep: allowances.roomToKeep };
  const checked = contractCheck(contract, dialects.flatMap(askPathsOf));
  const partsOf = dialectParts(parts, asking, checked);
  const jobList = uwsRoutes(
    jobListParts(parts, asking),
    guardingHeaders,
    edge.guard,
    options,
    identify,
  );
  const app = bareApp(settings, documents);
  app.use(beforeAll(parts, dialects));
  // The job list and asks first, because they have the most requests.
  app.use(['/jobs', '/async'], jobList, uwsErrors);
  app.use(inOne(helmetHeaders(), edge.guard, options));
  for (const dialect of dialects)
    for (const { paths, answer } of askRoutes(dialect, partsOf(dialect)))
      // With the handler of errors: an error passes by every route that comes after its own.
      app.post([...paths], inOne(edge.refuseLoad, identify, answer), problemHandler(log));
  app.use(...openRoutes({ ...parts, baseUrl, dialects, signing, peers }));
  app.use(edge.refuseLoad, identify);
  for (const dialect of dialects) app.use(dialectRoutes(dialect, partsOf(dialect)));
  app.use(drainRoutes({ ...parts, checked }), checked);
  app.use(...ownRoutes({ ...parts, baseUrl, dialects, signing, allowances }));
  app.use(problemHandler(log));
  return app;
}

function conversationOf(
  { planner, database, types, site, readUrl }: AppParts,
  { spendRate, roomToKeep }: Allowances,
): ConversationParts {
  return {
    planner,
    database,
    spendRate,
    vocabulary: () => vocabularyOf(types(), site()),
    readUrl,
    requireRoom: (principal, document) => roomToKeep(principal, recordBytes(document)),
  };
}

/** What the routes of a dialect need. */
function dialectParts(
  { settings, database, documents, contract, site, waiters, metrics, log }: AppParts,
  { baseUrl, conversation, roomToKeep }: AskingParts,
  checked: RequestHandler,
): (dialect: Dialect) => DialectRouteParts {
  const waitFor = openSessionWait({ waiters, waitCapS: WAIT_CAP_S, waits: WAITS });
  return (dialect) => ({
    database,
    conversation,
    site,
    baseUrl,
    documents,
    maxBodyKib: settings.maxBodyKib,
    roomToKeep,
    waitFor,
    decided: metrics.decided,
    log,
    checked: isInContract(dialect, contract) ? checked : undefined,
  });
}

function jobListParts(
  { settings, database, documents, site, waiters, metrics: { decided } }: AppParts,
  asking: AskingParts,
): UwsDeps {
  return {
    ...openJobAsks({ ...asking, site, documents, maxBodyKib: settings.maxBodyKib, decided }),
    database,
    waiters,
    principalOf,
    baseUrl: asking.baseUrl,
    resultsRoot: settings.jobsDirectory,
    waitCapS: WAIT_CAP_S,
    waits: WAITS,
    longestKeepS: LONGEST_KEEP_S,
    queueLimitS: () => site().offers.queueLimit,
    maxBodyKib: settings.maxBodyKib,
  };
}

function bareApp(
  { trustProxy }: Pick<Settings, 'trustProxy'>,
  { mapping }: Pick<Documents, 'mapping'>,
): Express {
  const app = express();
  app.set('trust proxy', trustProxy);
  app.set('etag', false);
  speakXml(app, mapping);
  app.disable('x-powered-by');
  return app;
}

/** What is done for every request. */
function beforeAll({ contract, trail }: AppParts, dialects: readonly Dialect[]): RequestHandler {
  const asks = dialects.flatMap(({ routes }) => [...routes.asks]);
  return inOne(
    nameAnswers(contract.version),
    compressAnswers,
    preferJsonAt(jsonPathsOf(dialects)),
    auditChanges(trail, asks),
  );
}
