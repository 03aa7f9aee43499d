import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  fetchPart,
  firstOffer,
  followPhases,
  sendAccept,
  sendAsk,
  sendJob,
} from '../../src/cli/conversation.ts';
import { startService, type Service } from '../../src/main.ts';
import { readSettings } from '../../src/settings.ts';
import { openTestDatabase, type TestDatabase } from './database.ts';
import { writeSite } from './site.ts';

/** The result of an ask. */
export type Told = {
  /** URL of the job */
  readonly job: string;
  readonly phases: readonly string[];
  readonly last: string | undefined;
  readonly answer: string;
  /** the text of the job's document */
  readonly summary: string;
};

/** Planner, executor and sweeper in this process. */
export type WholeService = {
  readonly url: string;
  readonly db: TestDatabase;
  /** folder of its data; results of jobs are below `jobs` */
  readonly folder: string;
  /** Asks in JSON. @returns the answer as text */
  readonly ask: (document: object) => Promise<string>;
  /** Accepts the first offer of an answer and follows its job to its end. */
  readonly follow: (answer: string) => Promise<Told>;
  /** Asks and follows. */
  readonly run: (document: object) => Promise<Told>;
  readonly close: () => Promise<void>;
};

export type WholeOptions = {
  /** the site file; it may name files in the service's folder */
  readonly site: object | ((folder: string) => object | Promise<object>);
  readonly rules: object;
  readonly environment?: Readonly<Record<string, string>>;
};

/** Starts a whole service with its own database. A start that fails removes everything it made. */
export async function startWholeService({
  site,
  rules,
  environment = {},
}: WholeOptions): Promise<WholeService> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-whole-'));
  const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const step of undo.reverse()) await step();
  };
  try {
    // As root, jobs have their own users, who must reach their directories.
    await chmod(folder, 0o755);
    const db = await openTestDatabase();
    undo.push(db.close);
    const files = await writeSite(await (typeof site === 'function' ? site(folder) : site), rules);
    undo.push(files.remove);
    const service = await launch(db, folder, files.siteFile, environment);
    undo.push(service.stop);
    const { url } = service;
    const ask = (document: object): Promise<string> => sendAsk(url, JSON.stringify(document));
    return {
      url,
      db,
      folder,
      ask,
      follow,
      run: async (document) => follow(await ask(document)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function launch(
  db: TestDatabase,
  folder: string,
  siteFile: string,
  more: Readonly<Record<string, string>>,
): Promise<Service> {
  const environment = {
    ...process.env,
    DATABASE_URL: db.url,
    DATA_DIR: folder,
    SITE_FILE: siteFile,
    PORT: '0',
    LOG_LEVEL: 'fatal',
    ...more,
  };
  const reading = readSettings(environment);
  if (!reading.ok) throw new Error(reading.problems.join());
  return startService(reading.settings, environment);
}

async function follow(answer: string): Promise<Told> {
  const offer = firstOffer(answer);
  await sendAccept(offer);
  const job = await sendJob(offer);
  const phases: string[] = [];
  for await (const phase of followPhases(job)) phases.push(phase);
  return { job, phases, last: phases.at(-1), answer, summary: await fetchPart(job, '') };
}
