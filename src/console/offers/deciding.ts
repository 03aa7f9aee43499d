import { signal } from '@preact/signals';

/**
 * What the service was told and has not done yet, by its id: an offer that is accepted, or the
 * answer whose offers are given back. Nobody knows of a slow service whether it has heard the first
 * click.
 */
export const underWay = signal<string | undefined>(undefined);

/** Tells the service one thing at a time. @returns undefined: another one is under way */
export async function once<T>(what: string, tell: () => Promise<T>): Promise<T | undefined> {
  if (underWay.value !== undefined) return undefined;
  underWay.value = what;
  return tell().finally(() => (underWay.value = undefined));
}
