import { readdir, readFile } from 'node:fs/promises';

/** A process in Linux's /proc. */
export type Member = { readonly pid: number; readonly parent: number; readonly command: string };

/** A process and all below it; empty where there is no /proc. */
export async function treeOf(root: number): Promise<readonly Member[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0);
  const all = (await Promise.all(pids.map(readMember))).filter((member) => member !== undefined);
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** Linux counts processor time in this unit. */
const TICK_MS = 10;

/**
 * Milliseconds of a process's processor time, including ended children that it waited for; 0
 * without /proc.
 */
export async function processorTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const times = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** MiB of one process with its part of shared memory (PSS); undefined if it cannot be read. */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kib = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

async function readMember(pid: number): Promise<Member | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    // The name in parentheses may contain spaces and parentheses, so count from its end.
    return { pid, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), command };
  } catch {
    return undefined;
  }
}
