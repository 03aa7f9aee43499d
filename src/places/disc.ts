import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sharedFor } from '../words/shared-for.ts';

/** A disc with less on it than must stay free, MiB. */
export type DiscShortage = {
  readonly folder: string;
  readonly free: number;
  readonly least: number;
};

/** What is short now, of several discs the one with least; undefined while there is enough. */
export type Disc = () => Promise<DiscShortage | undefined>;

const LOOKED_AT_MS = 1000;

/**
 * MiB that everybody may still write to the file system of a folder, or of the
 * nearest one above it that is there.
 */
export async function freeOn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder).catch(() => statfs(dirname(folder)));
  return Math.floor((bavail * bsize) / 2 ** 20);
}

/**
 * Watches the discs of some folders; whoever asks, they are looked at once a second. One that
 * cannot be looked at is not short: whoever writes there says what is wrong with it.
 *
 * @param least MiB
 * @param clock milliseconds, never going back
 */
export function openDisc(folders: readonly string[], least: number, clock: () => number): Disc {
  return sharedFor(LOOKED_AT_MS, clock, async () => {
    const found = await Promise.all(
      folders.map(async (folder) => ({
        folder,
        least,
        free: await freeOn(folder).catch(() => Infinity),
      })),
    );
    return found.filter(({ free }) => free < least).toSorted((a, b) => a.free - b.free)[0];
  });
}

/** The same in a sentence. */
export function shortageText({ free, least }: Omit<DiscShortage, 'folder'>): string {
  return (
    `${free} MiB are free on the disc that jobs write to, and ${least} MiB must stay so: ` +
    'nothing is offered and no job begins until there is more'
  );
}
