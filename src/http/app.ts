import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { Trail } from '../audit/trail.ts';
import type { Database } from '../db/client.ts';
import type { Doorkeeper } from '../identity/identify.ts';
import { openNames } from '../identity/names.ts';
import { openIssuerDoors } from '../identity/sign-in/issuer-client.ts';
import { openSignIns } from '../identity/sign-in/sign-ins.ts';
import type { OpenDialect } from '../dialects/all.ts';
import type { ConversationParts } from '../planner/conversation.ts';
import type { Dialect } from '../planner/dialect.ts';
import type { Planner } from '../planner/planner.ts';
import { openStoredBytes } from '../planner/record/stored-bytes.ts';
import type { KnownTypes } from '../plugins/types.ts';
import { openRates } from '../quotas/rates.ts';
import type { Settings } from '../settings.ts';
import type { Site } from '../site/site.ts';
import { NO_PEERS, type Peers } from '../peers/channel.ts';
import { uwsErrors } from '../uws/errors.ts';
import { uwsRoutes } from '../uws/routes.ts';
import type { Waiters } from '../uws/live/waiters.ts';
import type { EngineStates } from '../vosi/engines.ts';
import type { Configuration } from './admin/configuration.ts';
import { drainRoutes } from './admin/drain-routes.ts';
import { overviewRoutes } from './admin/overview-routes.ts';
import { auditChanges, auditRoutes } from './audit.ts';
import { baseUrlOf } from './edge/base-url.ts';
import type { Documents } from './body/documents.ts';
import { environmentRoutes } from './about/environment-routes.ts';
import { meRoutes } from './about/me-routes.ts';
import { siteRoutes } from './about/site-routes.ts';
import { calendarRoutes } from './asks/calendar-routes.ts';
import { consoleRoutes } from './console-routes.ts';
import { contractCheck } from './body/contract-check.ts';
import { openJobAsks } from './asks/job-asks.ts';
import { preferJsonAt } from './body/representation.ts';
import { askRoutes, dialectRoutes, type DialectRouteParts } from './asks/dialect-routes.ts';
import {
  askPathsOf,
  isInContract,
  jsonPathsOf,
  openDialects,
  ownDocumentsOf,
  placesOfDialects,
  versionsOf,
} from './asks/open-dialects.ts';
import { openGiveBack, openSpendRate } from './asks/too-many-asks.ts';
import { vocabularyOf } from './asks/vocabulary.ts';
import { explainRoutes } from './asks/explain-routes.ts';
import { nameAnswers } from './edge/answer-names.ts';
import { compressAnswers } from './edge/compress.ts';
import { eventRoutes } from './events/event-routes.ts';
import { openOwnChanges } from './events/own-changes.ts';
import { openEdge } from './edge/edge.ts';
import { guardingHeaders, helmetHeaders } from './edge/guarding-headers.ts';
import { inOne } from './edge/in-one.ts';
import { identifyRequest, principalOf } from './identified.ts';
import { manualRoutes } from './manual-routes.ts';
import { openBrowserCookies } from './sign-in/browser-cookies.ts';
import { issuerRoutes } from './sign-in/issuer-routes.ts';
import { ownSignIns } from './sign-in/own-sign-ins.ts';
import { sessionRoutes } from './sign-in/session-routes.ts';
import { openSessionWait } from './sessions/waits.ts';
import { askLists } from './lists/ask-lists.ts';
import { offerLists } from './lists/offer-lists.ts';
import type { Metrics } from './metrics/metrics.ts';
import { answerOptions } from './edge/options.ts';
import { problemHandler } from './problems.ts';
import { openRoomToKeep, recordBytes } from './asks/room-to-keep.ts';
import { serviceRoutes, type Contract } from './service-routes.ts';
import type { HealthCheck } from './health-checks.ts';
import { vosiRoutes } from './vosi-routes.ts';
import { speakXml } from './body/xml-mapping.ts';
import { xsdRoutes } from './xsd-routes.ts';

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

/** Longest UWS WAIT, seconds: below the usual TCP time-outs, also for WAIT=-1 (UWS § 2.2.1.2). */
const WAIT_CAP_S = 60;
const WAITS = { perOwner: 1000, perAddress: 100 };
const LONGEST_KEEP_S = 30 * 86_400;

/**
 * Builds the HTTP side of the service: the planner's conversation, the UWS worker, the contract,
 * health and metrics.
 */
export function createApp(parts: AppParts): Express {
  const {
    settings,
    database,
    waiters,
    planner,
    documents,
    site,
    log,
    metrics: { decided },
    peers = NO_PEERS,
  } = parts;
  const baseUrl = baseUrlOf(settings.publicUrl);
  const dialects = openDialects(parts.dialects, parts.contract);
  const edge = openEdge({
    settings,
    allowOrigins: () => site().http.allowOrigins,
    hasVersions: versionsOf(dialects),
  });
  const asks = dialects.flatMap(({ routes }) => [...routes.asks]);
  const options = answerOptions(parts.contract, placesOfDialects(dialects, parts.contract));
  const app = express();
  app.set('trust proxy', settings.trustProxy);
  app.set('etag', false);
  speakXml(app, documents.mapping);
  app.disable('x-powered-by');
  const cookies = openBrowserCookies({ baseUrl, mayAct: edge.mayAct });
  const signIns = openSignIns(database, Date.now);
  const { doorkeeper } = parts;
  const signing = { doorkeeper, signIns, cookies, names: openNames(database, Date.now) };
  const identify = identifyRequest(signing);
  const rates = openRates(() => performance.now(), peers.channel('rate'));
  const spendRate = openSpendRate(rates, site);
  const stored = openStoredBytes(database, () => performance.now());
  const roomToKeep = openRoomToKeep(site, stored);
  const conversation: ConversationParts = {
    planner,
    database,
    spendRate,
    vocabulary: () => vocabularyOf(parts.types(), site()),
    readUrl: parts.readUrl,
    requireRoom: (principal, document) => roomToKeep(principal, recordBytes(document)),
  };
  const worker = uwsRoutes(
    {
      ...openJobAsks({ conversation, dialects, site, roomToKeep, documents, decided }),
      database,
      waiters,
      principalOf,
      baseUrl,
      resultsRoot: settings.jobsDirectory,
      waitCapS: WAIT_CAP_S,
      waits: WAITS,
      longestKeepS: LONGEST_KEEP_S,
      queueLimitS: () => site().offers.queueLimit,
      maxBodyKib: settings.maxBodyKib,
    },
    guardingHeaders,
    edge.guard,
    options,
    identify,
  );
  app.use(
    inOne(
      nameAnswers(parts.contract.version),
      compressAnswers,
      preferJsonAt(jsonPathsOf(dialects)),
      auditChanges(parts.trail, asks),
    ),
  );
  // The job list and asks first, because they have the most requests.
  app.use(['/jobs', '/async'], worker, uwsErrors);
  app.use(inOne(helmetHeaders(), edge.guard, options));
  const checked = contractCheck(parts.contract, dialects.flatMap(askPathsOf));
  const waitFor = openSessionWait({ waiters, waitCapS: WAIT_CAP_S, waits: WAITS });
  const partsOf = (dialect: Dialect): DialectRouteParts => ({
    database,
    conversation,
    site,
    baseUrl,
    documents,
    maxBodyKib: settings.maxBodyKib,
    roomToKeep,
    waitFor,
    decided,
    log,
    checked: isInContract(dialect, parts.contract) ? checked : undefined,
  });
  for (const dialect of dialects)
    for (const { paths, answer } of askRoutes(dialect, partsOf(dialect)))
      // With the handler of errors: an error passes by every route that comes after its own.
      app.post([...paths], inOne(edge.refuseLoad, identify, answer), problemHandler(log));
  app.use(
    serviceRoutes({
      metrics: parts.metrics,
      checks: parts.checks,
      contract: parts.contract,
      baseUrl,
    }),
  );
  app.use(consoleRoutes());
  app.use(xsdRoutes(documents.mapping));
  app.use(manualRoutes());
  app.use(
    vosiRoutes({
      site,
      doorkeeper: parts.doorkeeper,
      checks: parts.checks,
      engines: parts.engines,
      baseUrl,
      planners: dialects.map(({ routes, sessions }) => ({
        asks: routes.asks,
        direct: sessions?.routes.direct ?? [],
      })),
      clock: Date.now,
    }),
  );
  app.use(siteRoutes({ site, types: parts.types, clock: Date.now }));
  app.use(environmentRoutes(site));
  app.use(sessionRoutes(signing));
  const doors = openIssuerDoors(doorkeeper.issuers, Date.now);
  app.use(
    issuerRoutes({
      ...signing,
      doors,
      baseUrl,
      log,
      clock: Date.now,
      others: peers.channel('issuer'),
    }),
  );
  app.use(edge.refuseLoad);
  app.use(identify);
  for (const dialect of dialects) app.use(dialectRoutes(dialect, partsOf(dialect)));
  app.use(drainRoutes({ database, site, documents, checked, readDrains: parts.readDrains }));
  app.use(checked);
  const own = ownDocumentsOf(dialects);
  const { printExplanation, printCalendar } = own;
  app.use(askLists({ database, baseUrl, ...own }), offerLists({ database, baseUrl, ...own }));
  app.use(explainRoutes({ database, planner, baseUrl, spendRate, printExplanation }));
  const changes = openOwnChanges(database, waiters, () => performance.now());
  app.use(eventRoutes({ changes, waiters }));
  app.use(meRoutes({ database, site, rates, stored }));
  app.use(auditRoutes(parts.trail));
  const { checks, engines, configuration } = parts;
  app.use(overviewRoutes({ database, site, rates, stored, checks, engines, configuration }));
  app.use(ownSignIns(signing));
  app.use(
    calendarRoutes({
      database,
      site,
      spendRate,
      giveBack: openGiveBack(rates, site),
      printCalendar,
    }),
  );
  app.use(problemHandler(log));
  return app;
}
