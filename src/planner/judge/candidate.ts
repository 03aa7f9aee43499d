import type { SiteDestination } from '../../site/destination.ts';
import type { Site } from '../../site/site.ts';
import type { WeighedCandidate } from '../../vortex/index.ts';
import { destinationId, isNonEmpty, type DestinationId, type NonEmpty } from '../../words/ids.ts';
import type { Ask } from '../ask.ts';
import type { Refusal } from '../refusal.ts';
import { unknownCosts, type Paying } from './costs.ts';
import { judgeEvaluated } from './evaluated.ts';
import type { Objection } from './objection.ts';
import { clauseObjection, verdictObjection } from './rule-objections.ts';
import { siteObjections } from './site-objections.ts';
import { sizesLacking, type Choice } from './sizing.ts';
import { storingOf, type Storing } from './storing.ts';
import { besideHead } from './workflows/amounts.ts';

/** What a destination could promise for an ask, whatever is free there. */
export type Suitable = {
  readonly id: DestinationId;
  readonly destination: SiteDestination;
  readonly storing: Storing;
  /** undefined: whatever it costs */
  readonly paying?: Paying | undefined;
} & Choice;

/** A destination that could take the ask, or every reason why not. */
export type Judged =
  | { readonly ok: true; readonly suitable: Suitable }
  | { readonly ok: false; readonly refusals: NonEmpty<Refusal> };

/** What one destination says to an ask: every objection of the rules and of the site. */
export function judge(asked: Ask, site: Site, candidate: WeighedCandidate): Judged {
  const id = destinationId(candidate.destination);
  const destination = site.destinations.get(candidate.destination);
  const ask = destination === undefined ? asked : besideHead(asked, destination.engine);
  const unlisted: readonly Objection[] = [{ code: 'not-in-site-file', place: { what: 'task' } }];
  const bySite =
    destination === undefined
      ? unlisted
      : [
          ...siteObjections(ask, site, destination),
          ...storingOf(ask, site, id).objections,
          ...unknownCosts(ask, site, destination),
          ...sizeObjections(ask, destination),
        ];
  const refuse = (objections: readonly Objection[]): Judged => {
    const refusals = objections.map((objection) => ({ ...objection, destination: id }));
    if (isNonEmpty(refusals)) return { ok: false, refusals };
    throw new Error(`destination ${id} refused without a reason`);
  };
  switch (candidate.kind) {
    case 'refused':
      return refuse([
        ...candidate.clauses.map((clause) => clauseObjection(clause, ask)),
        ...bySite,
      ]);
    case 'stopped':
      return refuse([verdictObjection(candidate.verdict), ...bySite]);
    case 'evaluated': {
      const judged =
        destination === undefined
          ? unlisted
          : judgeEvaluated(ask, asked, site, { id, destination }, candidate);
      return 'sizes' in judged ? { ok: true, suitable: judged } : refuse(judged);
    }
    default:
      return candidate satisfies never;
  }
}

/** What the sizes of a destination lack; without amounts of the rules, those of the ask count. */
function sizeObjections(ask: Ask, destination: SiteDestination): readonly Objection[] {
  const { cores, memory } = ask;
  return sizesLacking(
    ask,
    destination,
    { cores: cores.min ?? 0, memory: memory.min ?? 0 },
    { cores: cores.max ?? Infinity, memory: memory.max ?? Infinity },
  );
}
