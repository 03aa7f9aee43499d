import { isRecord } from '../../words/record.ts';
import type { Usage } from '../port.ts';

/**
 * What a supervising script has counted, from the lines of its report: those of the shell's `times`,
 * whose second line is the processor time of processes that were waited for, and those of
 * cgroups, which count all processes.
 */
export function usageIn(lines: readonly string[]): Usage | undefined {
  const [, waited] = lines.flatMap((line) => {
    const found = TIMES.exec(line);
    return found === null ? [] : [secondsOf(found[1], found[2]) + secondsOf(found[3], found[4])];
  });
  const counted = lines.map((line) => USED.exec(line)).filter((found) => found !== null);
  const of = (what: string): number | undefined => {
    const found = counted.find(([, name]) => name === what);
    return found === undefined ? undefined : Number(found[2]);
  };
  const [micros, nanos, bytes] = [of('us'), of('ns'), of('bytes')];
  const processorS =
    micros === undefined ? (nanos === undefined ? waited : nanos / 1e9) : micros / 1e6;
  return usageOf(processorS, bytes === undefined ? undefined : bytes / 2 ** 20);
}

/** Reads a usage back; undefined when it is none. */
export function parseUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const { processorS, memoryMib } = value;
  return usageOf(
    typeof processorS === 'number' ? processorS : undefined,
    typeof memoryMib === 'number' ? memoryMib : undefined,
  );
}

/** What several machines used together; undefined if none of them tells. */
export function combinedUsage(all: readonly (Usage | undefined)[]): Usage | undefined {
  const sum = (of: (usage: Usage) => number | undefined): number | undefined => {
    const values = all.map((one) => one && of(one));
    return values.every((value) => value !== undefined)
      ? values.reduce((total, value) => total + value, 0)
      : undefined;
  };
  return usageOf(
    sum(({ processorS }) => processorS),
    sum(({ memoryMib }) => memoryMib),
  );
}

/** Lines of a /bin/sh script that report the first number of a file, which may be missing. */
export function reportLine(file: string, unit: 'us' | 'ns' | 'bytes'): string {
  return `{ read -r used < ${file} && echo "used ${unit} $used" >&3; } 2>/dev/null`;
}

/** `times` of dash, bash and busybox: `0m0.012s 1m2.34s`. */
const TIMES = /^(\d{1,9})m(\d+(?:[.,]\d+)?)s (\d{1,9})m(\d+(?:[.,]\d+)?)s$/;
const USED = /^used (us|ns|bytes) (\d{1,18})$/;

function secondsOf(minutes = '', rest = ''): number {
  return Number(minutes) * 60 + Number(rest.replace(',', '.'));
}

/** To the millisecond and the KiB. */
function usageOf(processorS: number | undefined, memoryMib: number | undefined): Usage | undefined {
  if (processorS === undefined && memoryMib === undefined) return undefined;
  return {
    ...(processorS === undefined ? {} : { processorS: Math.round(processorS * 1000) / 1000 }),
    ...(memoryMib === undefined ? {} : { memoryMib: Math.round(memoryMib * 1024) / 1024 }),
  };
}
