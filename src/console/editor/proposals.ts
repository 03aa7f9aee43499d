import { unquoted, type Place } from './around.ts';
import { scanned } from './scan.ts';
import {
  aboutOf,
  isSome,
  keysOf,
  schemasAt,
  valuesOf,
  type AskSchemas,
  type PossibleKey,
  type Schema,
} from './schema.ts';

/** Something that is possible at a place. */
export type Proposal = {
  readonly label: string;
  /** a sentence for people; may be empty */
  readonly about: string;
  /** what the word is replaced by */
  readonly insert: string;
};

/** What is possible at a place, and the word there that it replaces. */
export type Proposals = {
  readonly from: number;
  readonly to: number;
  /** what is typed of the word */
  readonly typed: string;
  readonly list: readonly Proposal[];
};

const SCALARS = ['string', 'number', 'integer', 'boolean'];
/** Values that YAML reads as the text that they are. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|[yn])$)[a-z][\w./:@+-]*$/i;

/**
 * What can be at the cursor of a YAML text, half typed or not.
 *
 * @returns undefined where nothing is known, or nothing else than what is there
 */
export function proposalsAt(
  text: string,
  cursor: number,
  schemas: AskSchemas,
): Proposals | undefined {
  const { place } = scanned(text, cursor);
  // Behind a colon or a dash YAML wants a space first, but for the colon of a key in quotes.
  if (place === undefined || /(?<!["']):$|-$/.test(text.slice(0, place.from))) return undefined;
  const typed = unquoted(text.slice(place.from, cursor));
  const list = fitting(possibleAt(text, place, schemas), typed);
  const whole = unquoted(text.slice(place.from, place.to));
  return list.length === 0 || (list.length === 1 && list[0]?.label === whole)
    ? undefined
    : { from: place.from, to: place.to, typed, list };
}

function possibleAt(text: string, place: Place, schemas: AskSchemas): Proposal[] {
  const { kind, taken, from, to } = place;
  // One key may surround the whole ask.
  const path = place.path[0] === 'request' ? place.path.slice(1) : place.path;
  const here = schemasAt(schemas, path);
  const own = unquoted(text.slice(from, to));
  const keys = keysOf(here, schemas).filter(({ name }) => name === own || !taken.has(name));
  const isQuoted = /["']/.test(text.charAt(from));
  const hasColon = /^ *:(?:\s|$)/.test(text.slice(to));
  const ofKeys = keys.map((key) => proposalOf(key, place, isQuoted, hasColon));
  if (kind === 'key') return ofKeys;
  const ofValues = valuesOf(here).map(({ value, about }) => ({
    label: String(value),
    about,
    insert: literalOf(value, isQuoted),
  }));
  if (kind === 'value') return ofValues;
  if (ofKeys.length > 0 || !isSome(here, 'array')) return [...ofKeys, ...ofValues];
  const items = keysOf(schemasAt(schemas, [...path, '[]']), schemas);
  const inItem = { ...place, column: (place.column ?? 0) + 2 };
  return items
    .map((key) => proposalOf(key, inItem, isQuoted, hasColon))
    .map((one) => ({ ...one, insert: `- ${one.insert}` }));
}

/** A key, its colon, and for a block of its own the next line. */
function proposalOf(
  { name, schemas }: PossibleKey,
  { column }: Place,
  isQuoted: boolean,
  hasColon: boolean,
): Proposal {
  const about = aboutOf(schemas);
  const key = isQuoted ? JSON.stringify(name) : name;
  const block = column === undefined ? undefined : `${key}:\n${' '.repeat(column + 2)}`;
  const isList = isSome(schemas, 'array');
  const isBlock = isSome(schemas, 'object') !== isList && !schemas.some(isScalar);
  if (hasColon) return { label: name, about, insert: key };
  return {
    label: name,
    about,
    insert: block === undefined || !isBlock ? `${key}: ` : `${block}${isList ? '- ' : ''}`,
  };
}

function isScalar(schema: Schema): boolean {
  const types = new Set([schema['type']].flat());
  return 'enum' in schema || 'const' in schema || SCALARS.some((type) => types.has(type));
}

function literalOf(value: unknown, isQuoted: boolean): string {
  return typeof value === 'string' && !isQuoted && PLAIN.test(value)
    ? value
    : JSON.stringify(value);
}

/** What begins with the typed word comes before what only contains it. */
function fitting(list: readonly Proposal[], typed: string): readonly Proposal[] {
  const word = typed.toLowerCase();
  const found = list.filter(({ label }) => label.toLowerCase().includes(word));
  const begins = ({ label }: Proposal): boolean => label.toLowerCase().startsWith(word);
  return [...found.filter(begins), ...found.filter((one) => !begins(one))];
}
