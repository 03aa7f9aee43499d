import { v7 as uuid } from 'uuid';
import type { Database } from '../../src/db/client.ts';
import type { AnswerPlacement } from '../../src/planner/record/answer-rows.ts';
import type { NumberedProposal } from '../../src/planner/record/offer-ids.ts';
import {
  acceptOffer,
  type AcceptTerms,
  type AcceptVerdict,
} from '../../src/planner/record/update-offer.ts';
import { placeAnswers } from '../../src/planner/record/write-answers.ts';
import type { Promised } from '../../src/planner/offer.ts';
import { writeCapacities } from '../../src/schedule/book.ts';
import {
  destinationId,
  parseAskId,
  parseOfferId,
  type AskId,
  type OfferId,
} from '../../src/words/ids.ts';
import { mebibytes, millicores, seconds } from '../../src/words/units.ts';

/** Terms for tests: a job may wait an hour for its executor, results stay a week. */
export const TERMS: AcceptTerms = {
  start: 'AUTO',
  queueLimit: seconds(3600),
  keepResults: seconds(604_800),
};

export function newAskId(): AskId {
  return given(parseAskId(uuid()));
}

export function newOfferId(): OfferId {
  return given(parseOfferId(uuid()));
}

/** Writes destinations with these cores, and plenty of everything else. */
export function writeSites(
  database: Database,
  cores: Readonly<Record<string, number>>,
): Promise<void> {
  return writeCapacities(
    database,
    new Map(
      Object.entries(cores).map(([id, count]) => [
        id,
        {
          cores: count * 1000,
          memory: 1_000_000,
          scratch: 10_000_000,
          gpus: new Map([['urn:gpu', 4]]),
        },
      ]),
    ),
  );
}

/**
 * An alternative of an answer: this many cores at this destination, from `startsIn` seconds on,
 * held for `lifetime` seconds.
 */
export type Alternative = {
  readonly destination: string;
  readonly cores: number;
  readonly startsIn?: number;
  readonly prepare?: number;
  readonly lifetime?: number;
  readonly duration?: number;
};

export function propose(
  { destination, cores, startsIn = 0, prepare = 0, lifetime = 300, duration = 600 }: Alternative,
  now = Date.now(),
): NumberedProposal {
  return {
    id: newOfferId(),
    destination: destinationId(destination),
    runner: 'process',
    promised: promise(cores),
    amount: {
      cores: millicores(cores * 1000),
      memory: mebibytes(1024),
      scratch: mebibytes(1024),
      gpus: undefined,
    },
    startsAt: now + Math.max(startsIn, prepare) * 1000,
    expiresAt: now + lifetime * 1000,
    duration: seconds(duration),
    prepare: seconds(prepare),
    startWindow: seconds(60),
    release: seconds(10),
  };
}

/** An answer with these proposals that is not yet written; without proposals it is a NO. */
export function placementOf(
  proposals: readonly NumberedProposal[],
  owner = 'anonymous',
): AnswerPlacement {
  return {
    record: {
      id: newAskId(),
      owner,
      document: {},
      inputs: {},
      rulesDigest: '',
      trace: [],
      reasons: [],
    },
    proposals,
  };
}

/**
 * Writes an answer with these alternatives.
 * @returns the ids of its offers, or undefined if they do not fit
 */
export function placeOffers(
  database: Database,
  alternatives: readonly Alternative[],
  owner = 'anonymous',
): Promise<readonly OfferId[] | undefined> {
  return placeProposals(
    database,
    alternatives.map((one) => propose(one)),
    owner,
  );
}

/**
 * Writes an answer with these proposals.
 * @returns the ids of its offers, or undefined when they do not fit
 */
export async function placeProposals(
  database: Database,
  proposals: readonly NumberedProposal[],
  owner = 'anonymous',
): Promise<readonly OfferId[] | undefined> {
  const placement = placementOf(proposals, owner);
  const { verdicts } = await placeAnswers(database, [placement], Date.now(), new Map());
  return verdicts.size === 0 ? proposals.map(({ id }) => id) : undefined;
}

export function accept(
  database: Database,
  id: OfferId,
  owner = 'anonymous',
  terms = TERMS,
): Promise<AcceptVerdict> {
  return acceptOffer(database, id, owner, terms);
}

/**
 * The most cores reserved at any instant of each destination, computed independently of the tested
 * functions.
 */
export async function peaks(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.$queryRaw<{ id: string; cores: number }[]>`
    WITH live AS (SELECT * FROM reservation WHERE state IN ('HELD', 'FIRM')),
    at AS (SELECT destination_id, starts_at AS moment FROM live)
    SELECT destination_id AS id, max(cores)::float8 / 1000 AS cores FROM (
      SELECT at.destination_id, at.moment, (SELECT sum(l.cores) FROM live l
        WHERE l.destination_id = at.destination_id AND l.starts_at <= at.moment AND at.moment < l.ends_at) AS cores
      FROM at) AS sums GROUP BY destination_id`;
  return new Map(rows.map(({ id, cores }) => [id, cores]));
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('not a UUID');
  return value;
}

function promise(cores: number): Promised {
  return {
    taskType: 'https://www.purl.org/ivoa-net/task-type/executable',
    plugin: undefined,
    task: { type: 'executable', command: ['true'], environment: {} },
    parts: [
      {
        name: undefined,
        replicas: 1,
        platform: undefined,
        arch: undefined,
        gpus: undefined,
        volumes: [],
        cores: { min: undefined, max: undefined },
        memory: { min: undefined, max: undefined },
      },
    ],
    cores: { min: millicores(cores * 1000), max: millicores(cores * 1000) },
    memory: { min: mebibytes(1024), max: mebibytes(1024) },
    scratch: mebibytes(1024),
    gpus: undefined,
    storage: [],
  };
}
