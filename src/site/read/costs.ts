import type { Node, Reader } from '../../yaml/index.ts';

/** What a destination costs in one unit; a rate that the file leaves out is 0. */
export type Tariff = {
  /** URI of what is counted: a currency, credits, energy, CO2 */
  readonly type: string;
  /** for people */
  readonly description: string | undefined;
  /** an hour of a core */
  readonly core: number;
  /** an hour of a GiB of memory */
  readonly memory: number;
  /** an hour of a GPU */
  readonly gpu: number;
  /** an hour of a GiB of storage */
  readonly storage: number;
  /** every job, however short */
  readonly job: number;
};

const RATES = ['core', 'memory', 'gpu', 'storage', 'job'] as const;
const MOST_RATE = 1e12;
/** RFC 3986: a scheme, and something after it without blanks. */
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/;
const LONGEST_URI = 2000;
const HINT = 'an absolute URI, for example https://example.org/costs/euro';

/** Reads `costs`, a list with one entry for each type. */
export function readCosts(
  reader: Reader,
  node: Node | undefined,
  what: string,
  otherwise: readonly Tariff[],
): readonly Tariff[] {
  if (node === undefined) return otherwise;
  const items = reader.expectSeq(node, what)?.items ?? [];
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const tariff = readTariff(reader, item, `${what}[${index}]`);
    if (tariff === undefined) return [];
    if (seen.has(tariff.type))
      reader.problem(item, `${what} has '${tariff.type}' twice`, 'one entry for each type');
    seen.add(tariff.type);
    return [tariff];
  });
}

function readTariff(reader: Reader, node: Node, what: string): Tariff | undefined {
  const map = reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const found = reader.expectKeys(map, what, ['type', 'description', ...RATES]);
  if (found.type === undefined) reader.problem(node, `${what} needs 'type'`, HINT);
  if (RATES.every((rate) => found[rate] === undefined))
    reader.problem(node, `${what} names no rate`, `at least one of ${RATES.join(', ')}`);
  const rate = (key: (typeof RATES)[number]): number => {
    const value = found[key];
    return (value && reader.expectNumber(value, `${what}.${key}`, { min: 0, max: MOST_RATE })) ?? 0;
  };
  const tariff = {
    description: found.description && reader.expectString(found.description, `${what}.description`),
    core: rate('core'),
    memory: rate('memory'),
    gpu: rate('gpu'),
    storage: rate('storage'),
    job: rate('job'),
  };
  const type = found.type && readType(reader, found.type, `${what}.type`);
  return type === undefined ? undefined : { type, ...tariff };
}

function readType(reader: Reader, node: Node, what: string): string | undefined {
  const text = reader.expectString(node, what, HINT);
  if (text === undefined) return undefined;
  return URI.test(text) && text.length <= LONGEST_URI
    ? text
    : reader.problem(node, `${what} cannot be '${text}'`, HINT);
}
