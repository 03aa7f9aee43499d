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
  const words = dialects.flatMap((one) => [
    `the name ${one.name}`,
    ...placesOf(one).map(({ path, methods }) => `the route ${methods[0]} ${path}`),
  ]);
  const twice = words.find((word, index) => words.indexOf(word) < index);
  if (twice !== undefined) throw new Error(`two dialects have ${twice}`);
  if (isNonEmpty(dialects)) return dialects;
  throw new Error('the service speaks no dialect');
}

/** Documents that no draft has, each printed by the first dialect that can. */
export function ownDocumentsOf(dialects: readonly Dialect[]): OwnDocuments {
  return {
    printRequest: firstOf(dialects.map((one) => one.printRequest)),
    printExplanation: firstOf(dialects.map((one) => one.printExplanation)),
    printCalendar: firstOf(dialects.map((one) => one.printCalendar)),
    printAsks: firstOf(dialects.map((one) => one.printAsks)),
    printAsk: firstOf(dialects.map((one) => one.printAsk)),
    printOffers: firstOf(dialects.map((one) => one.printOffers)),
  };
}

/** Does the contract have the routes of a dialect? Otherwise only the dialect checks its documents. */
export function isInContract({ routes }: Dialect, { document }: Contract): boolean {
  return routes.asks.every((path) => Object.hasOwn(Object(Object(document).paths), path));
}

/** The paths of a dialect at which a client POSTs an ask. */
export function askPathsOf({ routes, sessions }: Dialect): NonEmpty<string> {
  return [...routes.asks, ...(sessions?.routes.direct ?? [])];
}

/** May a client change one version of what is at a path? It is so for sessions, which have tags. */
export function versionsOf(dialects: readonly Dialect[]): (path: string) => boolean {
  const folders = dialects
    .filter(({ sessions }) => sessions !== undefined)
    .map(({ routes }) => `${folderOf(routes.offer)}/`);
  return (path) => folders.some((folder) => path.toLowerCase().startsWith(folder));
}

/** What OPTIONS says about the routes of dialects that are not in the contract. */
export function placesOfDialects(
  dialects: readonly Dialect[],
  contract: Contract,
): readonly Place[] {
  const places = dialects.filter((one) => !isInContract(one, contract)).flatMap(placesOf);
  return [...Map.groupBy(places, ({ path }) => path)].map(([path, at]) => ({
    pattern: new RegExp(`^${path.replace(':ident', '[^/]+')}/?$`),
    allow: allowed(at.flatMap(({ methods }) => methods)),
  }));
}

/** The first parts of the paths of dialects that prefer JSON. */
export function jsonPathsOf(dialects: readonly Dialect[]): ReadonlySet<string> {
  const paths = dialects.filter(({ prefers }) => prefers === 'json').flatMap(placesOf);
  return new Set(paths.map(({ path }) => `/${path.split('/')[1]}`));
}

/** The path of all documents of a kind, whose own path ends with their id. */
export function folderOf(route: `${string}/:ident`): string {
  return route.slice(0, -'/:ident'.length);
}

function firstOf<Print>(printers: readonly (Print | undefined)[]): Print {
  const first = printers.find((print) => print !== undefined);
  if (first === undefined) throw new Error('no dialect prints the documents that no draft has');
  return first;
}

type DialectPlace = { readonly path: string; readonly methods: readonly string[] };

function placesOf(dialect: Dialect): readonly DialectPlace[] {
  const { routes, sessions } = dialect;
  const asks = askPathsOf(dialect).map((path) => ({ path, methods: ['POST'] }));
  const offer = { path: routes.offer, methods: ['GET', 'POST'] };
  if (sessions === undefined) return [...asks, offer];
  const { answer } = sessions.routes;
  const lists = [answer, routes.offer].map(folderOf);
  return [...asks, offer, ...[answer, ...lists].map((path) => ({ path, methods: ['GET'] }))];
}
