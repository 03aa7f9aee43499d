/**
 * Glossary and identifiers. Each thing has one word, the one of the specification.
 *
 * - task: an identifiable execution step; `task.type` is a URI, `task.spec` its details for that
 *   type
 * - ask: one question to the planner: task description, user, time
 * - answer: YES with one or more offers, or NO with one or more reasons
 * - offer: a promise of a task's destination, resources, start and duration; held until it expires
 * - refusal: one reason for NO
 * - reservation: capacity of a destination over a half-open interval: HELD, FIRM, RELEASED or
 *   LAPSED
 * - accept: the client's choice of one offer
 * - object: one piece of managed storage, which holds a persistent volume between jobs
 * - job: the assignment of a task to a worker
 * - destination: a place where jobs can run, as in TPV; its `runner` names the execution engine
 *
 * Offer, session and job share one id (a UUID v7), so a client can use it at all endpoints.
 */

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Id of an ask, a UUID v7. */
export type AskId = Branded<string, 'AskId'>;
/** Id of an offer and of the job it becomes, a UUID v7. */
export type OfferId = Branded<string, 'OfferId'>;
/** Id of a job: the same as its offer's. */
export type JobId = OfferId;
/** Id of one piece of managed storage: a UUID, fixed by the offer (2023 draft). */
export type ObjectId = Branded<string, 'ObjectId'>;
/** Id of a destination in the rule files. */
export type DestinationId = Branded<string, 'DestinationId'>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @returns the id, or undefined when `text` is not a UUID in canonical lower case. */
export function parseOfferId(text: string): OfferId | undefined {
  return isUuid<OfferId>(text) ? text : undefined;
}

/** @returns the id, or undefined when `text` is not a UUID in canonical lower case. */
export function parseAskId(text: string): AskId | undefined {
  return isUuid<AskId>(text) ? text : undefined;
}

/**
 * A lower-case UUID, safe as the name of a directory and in a key; undefined for any other text.
 */
export function parseObjectId(text: string): ObjectId | undefined {
  return isUuid<ObjectId>(text) ? text : undefined;
}

/** @throws RangeError for an empty name. */
export function destinationId(text: string): DestinationId {
  if (isDestinationId(text)) return text;
  throw new RangeError('a destination id must not be empty');
}

/** A list that is never empty: a YES has offers and a NO has reasons. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];

/** Is there an item in the list? */
export function isNonEmpty<Item>(items: readonly Item[]): items is NonEmpty<Item> {
  return items.length > 0;
}

function isUuid<Id extends string>(text: string): text is Id {
  return uuid.test(text);
}

function isDestinationId(text: string): text is DestinationId {
  return text.length > 0;
}
