import { shortages, type Capacity, type ResourceKind } from '../schedule/amount.ts';
import type { Instant } from '../schedule/interval.ts';
import { freeDuring, type Taken } from '../schedule/profile.ts';
import type { Site } from '../site/site.ts';
import type { Candidate, Consideration } from '../vortex/index.ts';
import { isNonEmpty, type DestinationId, type NonEmpty } from '../words/ids.ts';
import { mebibytes, millicores } from '../words/units.ts';
import type { Ask } from './ask.ts';
import { judge, type Suitable } from './candidate.ts';
import { amountOf, type Promised, type Proposal } from './offer.ts';
import { ofVerdict } from './objection.ts';
import { coresOf, numberOf, sizeOf, type Quantity, type Refusal } from './refusal.ts';

/** YES with at least one proposal, or NO with at least one reason; nothing else can be written. */
export type Plan =
  | { readonly result: 'YES'; readonly proposals: NonEmpty<Proposal> }
  | { readonly result: 'NO'; readonly refusals: NonEmpty<Refusal> };

/** What is reserved from now on, by destination, and the database's time when it was read. */
export type Book = { readonly now: Instant; readonly taken: ReadonlyMap<string, readonly Taken[]> };

/** The destinations that an ask could go to, in order of preference, and why the others cannot take it. */
export type Shortlist = { readonly suitable: readonly Suitable[]; readonly refusals: readonly Refusal[] };

/** Templates of the rule files are no destinations: that a task cannot go there is no reason. */
const isConcrete = (candidate: Candidate): boolean =>
  candidate.kind !== 'refused' || !candidate.clauses.some(({ code }) => code === 'destination-abstract');

/** The rules' and the site's part of the decision; it needs no book. */
export const shortlist = (ask: Ask, site: Site, consideration: Consideration): Shortlist => {
  if (consideration.kind === 'stopped') return { suitable: [], refusals: [ofVerdict(consideration.verdict)] };
  const judged = consideration.candidates.filter(isConcrete).map((candidate) => judge(ask, site, candidate));
  return {
    suitable: judged.flatMap((one) => (one.ok ? [one.suitable] : [])),
    refusals: judged.flatMap((one) => (one.ok ? [] : one.refusals)),
  };
};

const quantity: Readonly<Record<ResourceKind, (value: number) => Quantity>> = { cores: coresOf, memory: sizeOf, scratch: sizeOf, gpus: numberOf };

/** Seconds from now until the last moment that an offer made now can reserve. */
export const spanSeconds = ({ offers }: Site): number => offers.lifetime + offers.startWindow + offers.duration + offers.release;

const tooLittle = (ask: Ask, { id, destination, least }: Suitable, free: Capacity): readonly Refusal[] =>
  shortages(amountOf(least), free).map(({ resource, asked }) => {
    const all = resource === 'gpus' ? (destination.capacity.gpus.get(least.gpus?.type ?? '') ?? 0) : destination.capacity[resource];
    const left = resource === 'gpus' ? (free.gpus.get(least.gpus?.type ?? '') ?? 0) : free[resource];
    return {
      code: asked > all ? 'above-capacity' : 'no-capacity-now',
      path: ask.paths[resource],
      destination: id,
      asked: quantity[resource](asked),
      limit: quantity[resource](asked > all ? all : left),
    };
  });

/** The same promise with room to grow, as far as the ask, the rules and the free capacity allow; undefined when there is none. */
const grown = ({ least, ceiling }: Suitable, free: Capacity): Promised | undefined => {
  const cores = millicores(Math.max(least.cores.min, Math.min(ceiling.cores, free.cores)));
  const memory = mebibytes(Math.max(least.memory.min, Math.min(ceiling.memory, free.memory)));
  if (cores === least.cores.max && memory === least.memory.max) return undefined;
  return { ...least, cores: { min: least.cores.min, max: cores }, memory: { min: least.memory.min, max: memory } };
};

/**
 * The answer to an ask on this book: first the smallest fit at every destination in the order of the rules' preference,
 * then larger ones where the ask's maximum leaves room, at most `max-offers` of them.
 */
export const plan = (ask: Ask, site: Site, list: Shortlist, book: Book): Plan => {
  const { offers } = site;
  const window = { start: book.now, end: book.now + spanSeconds(site) * 1000 };
  const refusals: Refusal[] = [...list.refusals];
  const small: Proposal[] = [];
  const large: Proposal[] = [];
  const propose = ({ id, destination }: Suitable, promised: Promised): Proposal => ({
    destination: id, runner: destination.runner, promised, amount: amountOf(promised), startsAt: book.now,
    expiresAt: book.now + offers.lifetime * 1000, duration: offers.duration, startWindow: offers.startWindow, release: offers.release,
  });
  for (const one of list.suitable) {
    const free = freeDuring(one.destination.capacity, book.taken.get(one.id) ?? [], window);
    const missing = tooLittle(ask, one, free);
    refusals.push(...missing);
    if (missing.length > 0) continue;
    small.push(propose(one, one.least));
    const more = grown(one, free);
    if (more !== undefined) large.push(propose(one, more));
  }
  const proposals = [...small, ...large].slice(0, offers.most);
  if (isNonEmpty(proposals)) return { result: 'YES', proposals };
  return { result: 'NO', refusals: isNonEmpty(refusals) ? refusals : [{ code: 'no-destination', path: 'task' }] };
};

/** What is held for the proposals at one destination while the client decides: until the last of them could have run. */
export const spanOfProposal = ({ startsAt, expiresAt, startWindow, duration, release }: Proposal) => ({
  start: startsAt,
  end: Math.max(startsAt, expiresAt) + (startWindow + duration + release) * 1000,
});

/** Ids of the destinations that a plan looks at. */
export const destinationsOf = (list: Shortlist): readonly DestinationId[] => list.suitable.map(({ id }) => id);
