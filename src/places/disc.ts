import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sharedFor } from '../words/shared-for.ts';

/** A disc with less free space than must stay free, MiB. */
type DiscShortage = { readonly free: number; readonly least: number };

/** The disc with the least free space, if it is too little; undefined while all have enough. */
export type Disc = () => Promise<DiscShortage | undefined>;

const LOOKED_AT_MS = 1000;

/**
 * Free MiB, for every account, on the file system of a folder or of its nearest existing parent.
 */
export async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => statfs(dirname(folder)));
  return Math.floor((bavail * bsize) / 2 ** 20);
}

/**
 * Watches the discs of some folders and looks at them at most once a second. A disc that cannot be
 * read counts as not short: a write to it will report the error.
 *
 * @param least MiB
 * @param clock milliseconds, never going back
 */
export function openDisc(folders: readonly string[], least: number, clock: () => number): Disc {
  return sharedFor(LOOKED_AT_MS, clock, async () => {
    const found = await Promise.all(
      folders.map(async (folder) => ({ least, free: await freeOn(folder).catch(() => Infinity) })),
    );
    return found.filter(({ free }) => free < least).toSorted((a, b) => a.free - b.free)[0];
  });
}

/** The shortage as a sentence. */
export function shortageText({ free, least }: DiscShortage): string {
  return (
    `${free} MiB are free on the disc that jobs write to, and ${least} MiB must stay free: ` +
    'nothing is offered and no job begins until there is more'
  );
}
