import type { OpenDialect } from '../../dialects/all.ts';
import type { Dialect, OwnDocuments } from '../../planner/dialect.ts';
import { isNonEmpty, type NonEmpty } from '../../words/ids.ts';
import { allowed, type Place } from '../edge/options.ts';
import type { Contract } from '../service-routes.ts';

/**
 * Opens the dialects of the service.
 * @throws Error if there are none, or two with the same name or route
 */
export function openDialects(
  open: readonly OpenDialect[],
  { document }: Contract,
): NonEmpty<Dialect> {
  const dialects = open.map((one) => one(document));
  const words = dialects.flatMap(({ name, routes }) => [
    `the name ${name}`,
    `the route ${routes.ask}`,
    `the route ${routes.offer}`,
  ]);
  const twice = words.find((word, index) => words.indexOf(word) < index);
  if (twice !== undefined) throw new Error(`two dialects have ${twice}`);
  if (isNonEmpty(dialects)) return dialects;
  throw new Error('the service speaks no dialect');
}

/** Documents that no draft has, each printed by the first dialect that can. */
export function ownDocumentsOf(
  dialects: readonly Dialect[],
): Pick<OwnDocuments, 'printExplanation' | 'printCalendar'> {
  const printExplanation = dialects.find(
    (one) => one.printExplanation !== undefined,
  )?.printExplanation;
  const printCalendar = dialects.find((one) => one.printCalendar !== undefined)?.printCalendar;
  if (printExplanation !== undefined && printCalendar !== undefined)
    return { printExplanation, printCalendar };
  throw new Error('no dialect prints explanations and calendars');
}

/** Does the contract have the routes of a dialect? Otherwise only the dialect checks its documents. */
export function isInContract({ routes }: Dialect, { document }: Contract): boolean {
  return Object.hasOwn(Object(Object(document).paths), routes.ask);
}

/** What OPTIONS says about the routes of dialects that are not in the contract. */
export function placesOfDialects(
  dialects: readonly Dialect[],
  contract: Contract,
): readonly Place[] {
  return dialects
    .filter((one) => !isInContract(one, contract))
    .flatMap(({ routes }) => [
      { pattern: new RegExp(`^${routes.ask}/?$`), allow: allowed(['POST']) },
      {
        pattern: new RegExp(`^${routes.offer.replace(':ident', '[^/]+')}/?$`),
        allow: allowed(['GET', 'POST']),
      },
    ]);
}
