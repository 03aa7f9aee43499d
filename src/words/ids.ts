/**
 * Glossary and identifiers. The words are those of the specification; there is no
 * second word for the same thing.
 *
 * - task: an identifiable execution step; `task.type` is a URI,
 *   `task.spec` its type-specific details
 * - ask: one question to the planner: task description, who, when
 * - answer: YES with one or more offers, or NO with one or more reasons
 * - offer: a promise: this task, at this destination, with this much, starting then, for
 *   so long; held until it expires
 * - refusal: one reason for NO
 * - reservation: capacity of a destination over a half-open interval:
 *   HELD, FIRM, RELEASED or LAPSED
 * - accept: the client's choice of one offer
 * - object: one piece of managed storage: what a persistent volume holds between jobs
 * - job: the assignment of a task to a worker
 * - destination: where jobs can run, as in TPV; its `runner` names the execution engine
 *
 * Offer, session and job share one id (a UUID v7), so a client can hop
 * between the endpoints with it.
 */

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Id of an ask, a UUID v7. */
export type AskId = Branded<string, 'AskId'>;
/** Id of an offer and of the job it becomes, a UUID v7. */
export type OfferId = Branded<string, 'OfferId'>;
/** The same id as the offer's. */
export type JobId = OfferId;
/** Names one piece of managed storage: a UUID, fixed when it is offered (2023 draft). */
export type ObjectId = Branded<string, 'ObjectId'>;
/** Id of a destination, as the rule files name it. */
export type DestinationId = Branded<string, 'DestinationId'>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** @returns the id, or undefined when `text` is not a UUID in canonical lower case. */
export function parseOfferId(text: string): OfferId | undefined {
  return isOfferId(text) ? text : undefined;
}

/** @returns the id, or undefined when `text` is not a UUID in canonical lower case. */
export function parseAskId(text: string): AskId | undefined {
  return isAskId(text) ? text : undefined;
}

/**
 * A lower-case UUID, which is safe as a name of a directory and in a
 * key; undefined for anything else.
 */
export function parseObjectId(text: string): ObjectId | undefined {
  return isObjectId(text) ? text : undefined;
}

/** @throws RangeError on an empty name. */
export function destinationId(text: string): DestinationId {
  if (isDestinationId(text)) return text;
  throw new RangeError('a destination id must not be empty');
}

/** An array that cannot be empty: a YES has offers and a NO has reasons. */
export type NonEmpty<Item> = readonly [Item, ...Item[]];

/** Narrows a list to one that is known to have an item. */
export function isNonEmpty<Item>(items: readonly Item[]): items is NonEmpty<Item> {
  return items.length > 0;
}

function isOfferId(text: string): text is OfferId {
  return isUuid(text);
}

function isUuid(text: string): boolean {
  return uuid.test(text);
}

function isAskId(text: string): text is AskId {
  return isUuid(text);
}

function isObjectId(text: string): text is ObjectId {
  return isUuid(text);
}

function isDestinationId(text: string): text is DestinationId {
  return text.length > 0;
}
