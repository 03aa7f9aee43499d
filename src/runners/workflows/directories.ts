import { link, mkdir, rename } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { withFiles } from '../../tasks/workflow/inputs.ts';
import { isRecord } from '../../words/record.ts';

/**
 * Makes folders of the directories that have a place and a list of files, which were fetched: a
 * directory at a URL. One that has no place is a literal and stays a list, whose expressions see it.
 *
 * @param inputs with paths as the job sees them
 * @param folder the folder that the job sees as `task`
 * @returns the inputs with the paths of these folders
 */
export async function placeDirectories(
  inputs: unknown,
  folder: string,
  task: string,
): Promise<unknown> {
  const steps: (() => Promise<void>)[] = [];
  let count = 0;
  const placed = withFiles(inputs, '', (directory) => {
    const { listing, location, ...rest } = directory;
    if (directory['class'] !== 'Directory' || location === undefined || !Array.isArray(listing))
      return directory;
    const entries = listing.map((entry: unknown) => entryOf(entry, task));
    const names = new Set(entries.map((entry) => entry?.name));
    const name = nameOf(rest['basename'] ?? 'directory');
    if (name === undefined || names.has(undefined) || names.size < entries.length)
      return { ...rest, listing };
    const own = posix.join('directories', `${count}`, name);
    count += 1;
    steps.push(async () => {
      await mkdir(join(folder, own), { recursive: true, mode: 0o700 });
      for (const entry of entries)
        if (entry !== undefined)
          await (entry.isFile ? link : rename)(
            join(folder, entry.path),
            join(folder, own, entry.name),
          );
    });
    return { ...rest, path: posix.join(task, own) };
  });
  // Those around others come last.
  for (const step of steps) await step();
  return placed;
}

type Entry = { readonly name: string; readonly path: string; readonly isFile: boolean };

/** A file or folder in the directory of the job, relative to it; undefined for any other. */
function entryOf(entry: unknown, task: string): Entry | undefined {
  if (!isRecord(entry) || entry['secondaryFiles'] !== undefined) return undefined;
  const { class: kind, path: written } = entry;
  if (typeof written !== 'string' || (kind !== 'File' && kind !== 'Directory')) return undefined;
  const path = posix.relative(task, written);
  const name = nameOf(entry['basename'] ?? posix.basename(written));
  return name === undefined || !OWN.test(path)
    ? undefined
    : { name, path, isFile: kind === 'File' };
}

/** Files that were fetched, and folders of this file: nothing else may be moved. */
const OWN = /^(?:inputs|directories)\/\d+\/[^/]+$/;

/** A name that leads nowhere else. */
function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[^/\0]{1,200}$/.test(value) && !/^\.{1,2}$/.test(value)
    ? value
    : undefined;
}
