import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Database } from '../db/client.ts';
import type { SandboxStats } from '../sandbox/sandbox.ts';
import type { RefusalCode } from '../words/catalogue.ts';

/** What the service counts, in the text format of Prometheus. */
export type Metrics = {
  readonly registry: Registry;
  readonly answered: (result: 'YES' | 'NO', codes: readonly RefusalCode[], seconds: number) => void;
  readonly decided: (verdict: string) => void;
};

const liveCounts = (database: Database): Promise<{ name: string; count: number }[]> =>
  database.$queryRaw`
    SELECT o.state::text AS name, count(*)::int AS count FROM offer o LEFT JOIN job j ON j.id = o.id
    WHERE (o.state = 'OFFERED' AND o.expires_at > clock_timestamp()) OR (j.id IS NOT NULL AND j.archived_at IS NULL) GROUP BY o.state`;

/** Gauges are read from the database when they are scraped, so that every replica tells the same. */
export const createMetrics = (database: Database, sandbox: () => SandboxStats): Metrics => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const asks = new Counter({ name: 'planner_asks_total', help: 'Asks answered, by result', labelNames: ['result'], registers });
  const refusals = new Counter({ name: 'planner_refusals_total', help: 'NO answers that gave this reason', labelNames: ['code'], registers });
  const decisions = new Counter({ name: 'planner_offer_updates_total', help: 'Updates of offers, by verdict', labelNames: ['verdict'], registers });
  const seconds = new Histogram({ name: 'planner_ask_seconds', help: 'Time from a parsed ask to its written answer', buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2], registers });
  const offers = new Gauge({ name: 'planner_offers_live', help: 'Offers that can be accepted now', registers });
  const jobs = new Gauge({ name: 'planner_jobs', help: 'Jobs that are not archived, by session state', labelNames: ['state'], registers });
  const rules = new Gauge({
    name: 'planner_sandbox', help: 'Decisions, failures and restarts of the rules sandbox', labelNames: ['what'], registers,
    collect() {
      const { decisions: made, failures, respawns } = sandbox();
      this.set({ what: 'decisions' }, made);
      this.set({ what: 'failures' }, failures);
      this.set({ what: 'respawns' }, respawns);
    },
  });
  offers.set(0);
  rules.reset();
  new Gauge({
    name: 'planner_database_up', help: '1 when the database answered this scrape', registers,
    async collect() {
      const counts = await liveCounts(database).catch(() => undefined);
      this.set(counts === undefined ? 0 : 1);
      jobs.reset();
      offers.set(0);
      for (const { name, count } of counts ?? []) (name === 'OFFERED' ? offers : jobs.labels(name)).set(count);
    },
  });
  return {
    registry,
    answered: (result, codes, took) => {
      asks.inc({ result });
      seconds.observe(took);
      for (const code of codes) refusals.inc({ code });
    },
    decided: (verdict) => decisions.inc({ verdict }),
  };
};
