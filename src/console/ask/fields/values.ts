/** Fields of a document that somebody may have typed. */
export type Fields = Readonly<Record<string, unknown>>;

/** A text or a number as a field shows it; anything else is an empty field. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** GiB of an amount of memory or storage: the units of the contract are binary. */
export function gibOf(size: unknown): string {
  const [, amount, unit = 'G'] = /^([\d.]+)\s*([KMGTP]?)i?[bB]?$/.exec(textOf(size)) ?? [];
  const gib = Number(amount) * 1024 ** ('KMGTP'.indexOf(unit === '' ? 'G' : unit) - 2);
  return Number.isNaN(gib) ? '' : String(Math.round(gib * 1000) / 1000);
}

/** The amount that a field of GiB says. */
export function sizeOf(gib: string): string {
  return `${Number(gib)}GiB`;
}

/** Keys that are not among those that the form shows. */
export function extraOf(value: unknown, shown: readonly string[]): readonly string[] {
  return isFields(value) ? Object.keys(value).filter((key) => !shown.includes(key)) : [];
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list of a document; a value that is none is an empty one. */
export function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value : [];
}
