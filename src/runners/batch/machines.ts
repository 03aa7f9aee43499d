import { join } from 'node:path';
import type { Usage } from '../port.ts';
import type { JobDirectory } from '../run/directory.ts';
import { combinedUsage } from '../run/usage.ts';
import { readBatchIntent } from './files.ts';
import { nodeDirectory } from './script.ts';
import { readFromNode } from './status.ts';
import type { BatchSystem } from './system.ts';

/** What the machines of a parallel job told of its processes. */
export type MachineReports = {
  /** of all machines together; undefined: one of them told nothing, or the script was killed */
  readonly usage: Usage | undefined;
  /** the kernel killed a process for want of memory */
  readonly isOutOfMemory: boolean;
};

/** What one of them told; `hasScript`: the script of the job ended there by itself. */
export type MachineReport = MachineReports & { readonly hasScript: boolean };

/** Each process that a launcher started there has a line of less than 60 bytes. */
const LONGEST = 2 ** 20;
const LINE = /^(step_\w{1,20}) (\d{1,15}|-) (\d{1,18}|-) (\d{1,15})$/;
/** The step of the job's own script, which ends last. */
const SCRIPT = 'step_batch';

/** The file of each machine's report, without the machine's index. */
export function machineReports(place: JobDirectory): string {
  return join(nodeDirectory(place), 'machine-');
}

/** Reads what the machines of a job reported; undefined when it is no parallel job. */
export async function readReports(
  { name }: Pick<BatchSystem, 'name'>,
  place: JobDirectory,
): Promise<MachineReports | undefined> {
  const count = (await readBatchIntent(name, place))?.request.nodes;
  if (count === undefined) return undefined;
  const machines: MachineReport[] = [];
  for (let index = 0; index < count; index += 1)
    machines.push(parseReport(await readFromNode(`${machineReports(place)}${index}`, LONGEST)));
  return combinedReports(machines);
}

/** Reads the report of one machine. Skips lines that are none. */
export function parseReport(text: string): MachineReport {
  const lines = linesOf(text);
  return {
    // A machine that started no process tells as little as one whose report is lost.
    usage: lines.length > 0 && text.length < LONGEST ? usageOf(lines) : undefined,
    isOutOfMemory: lines.some(({ kills }) => kills > 0),
    hasScript: lines.some(({ step }) => step === SCRIPT),
  };
}

/** What all machines of a job reported. */
export function combinedReports(machines: readonly MachineReport[]): MachineReports {
  return {
    usage: machines.some(({ hasScript }) => hasScript)
      ? combinedUsage(machines.map(({ usage }) => usage))
      : undefined,
    isOutOfMemory: machines.some(({ isOutOfMemory }) => isOutOfMemory),
  };
}

type Line = {
  readonly step: string;
  readonly bytes: number | undefined;
  readonly ns: number | undefined;
  readonly kills: number;
};

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const [, step, bytes, ns, kills] = LINE.exec(line) ?? [];
    return step === undefined
      ? []
      : [{ step, bytes: numberOf(bytes), ns: numberOf(ns), kills: Number(kills) }];
  });
}

function numberOf(word: string | undefined): number | undefined {
  return word === undefined || word === '-' ? undefined : Number(word);
}

/** Each process of a step tells what the step used so far. */
function usageOf(lines: readonly Line[]): Usage {
  const steps = Map.groupBy(lines, ({ step }) => step);
  const times = [...steps.values()].map((some) => most(some.map(({ ns }) => ns)));
  const bytes = most(lines.map((line) => line.bytes));
  return {
    ...(times.every((ns) => ns !== undefined) && {
      processorS: times.reduce((total, ns) => total + ns, 0) / 1e9,
    }),
    ...(bytes !== undefined && { memoryMib: bytes / 2 ** 20 }),
  };
}

function most(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce<number | undefined>(
    (so, value) => (so === undefined || value === undefined ? undefined : Math.max(so, value)),
    0,
  );
}
