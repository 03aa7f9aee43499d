import { readdir, readFile } from 'node:fs/promises';

/** A process, as Linux shows it in /proc. */
export type Member = { readonly pid: number; readonly parent: number; readonly command: string };

/** A process and all below it; empty where there is no /proc. */
export async function treeOf(root: number): Promise<readonly Member[]> {
  const pids = (await readdir('/proc').catch(() => [])).map(Number).filter((pid) => pid > 0);
  const all = (await Promise.all(pids.map(readMember))).filter((member) => member !== undefined);
  const tree = all.filter(({ pid }) => pid === root);
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid));
  return tree;
}

/** Linux counts processor time in these everywhere. */
const TICK_MS = 10;

/**
 * Milliseconds of processor time that a process has taken, ended children that it waited for
 * included; 0 where there is no /proc.
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

/**
 * MiB of one process, what it shares with others divided among them (PSS);
 * undefined when it cannot be read.
 */
export async function memoryOf(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const kib = /^Pss:\s+(\d+) kB$/m.exec(text)?.[1];
  return kib === undefined ? undefined : Number(kib) / 1024;
}

async function readMember(pid: number): Promise<Member | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    // The name in parentheses may itself contain spaces and parentheses: count from its end.
    return { pid, parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]), command };
  } catch {
    return undefined;
  }
}
