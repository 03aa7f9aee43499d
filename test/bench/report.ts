import type { Machine } from './machine.ts';
import { median, type Fact, type Sample, type Series } from './sample.ts';

/** A series with one sample for each round. */
export type Measured = { readonly series: Series; readonly samples: readonly Sample[] };

/** Median of the rounds, and their smallest and largest value. */
type Spread = { readonly median: number; readonly least: number; readonly most: number };

/** One line of the table; ratios are taken within each round, then their median. */
export type Line = {
  readonly name: string;
  readonly perSecond: Spread;
  readonly p50: Spread;
  readonly p99: Spread;
  readonly toExpress: number | undefined;
  readonly toBare: number | undefined;
};

export function linesOf(measured: readonly Measured[]): readonly Line[] {
  const samplesOf = (name: string | undefined): readonly Sample[] | undefined =>
    measured.find(({ series }) => series.name === name)?.samples;
  return measured.map(({ series: { name, express, bare }, samples }) => ({
    name,
    perSecond: spread(samples.map(({ perSecond }) => perSecond)),
    p50: spread(samples.map(({ p50 }) => p50)),
    p99: spread(samples.map(({ p99 }) => p99)),
    toExpress: ratio(samples, samplesOf(express)),
    toBare: ratio(samples, samplesOf(bare)),
  }));
}

/** The report as markdown: machine, table of rates, table of times and sizes. */
export function markdown(
  machine: Machine,
  rounds: number,
  lines: readonly Line[],
  facts: readonly Fact[],
): string {
  return [
    `${machine.at.slice(0, 16)}Z, ${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB,`,
    `${machine.platform}, Node ${machine.node.slice(1)}, PostgreSQL ${machine.postgres}, fsync ${machine.fsync};`,
    `load average before: ${machine.loadBefore}; rounds: ${rounds}, median (range).`,
    '',
    '| measurement | per second | p50 ms | p99 ms | of the Express route | of the bare SQL |',
    '|---|---|---|---|---|---|',
    ...lines.map(({ name, perSecond, p50, p99, toExpress, toBare }) => {
      const latencies = [shown(p50.median), shown(p99.median)];
      return `| ${[name, withRange(perSecond), ...latencies, percent(toExpress), percent(toBare)].join(' | ')} |`;
    }),
    '',
    ...(facts.length === 0 ? [] : ['| time or size | value |', '|---|---|']),
    ...facts.map(({ name, unit, values }) => `| ${name} | ${withRange(spread(values))} ${unit} |`),
    '',
  ].join('\n');
}

/** The page of docs/measurements that the bench writes itself. */
export function pageOf(report: string, { at }: Machine): string {
  const title = `# ${at.slice(0, 10)}: the bench`;
  const told = 'Written by `npm run bench -- --page`. Compare ratios, not numbers.';
  return [title, told, report].join('\n\n');
}

/** Median, least and most of the rounds. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

function ratio(
  samples: readonly Sample[],
  other: readonly Sample[] | undefined,
): number | undefined {
  return other === undefined
    ? undefined
    : median(
        samples.map(({ perSecond }, round) => perSecond / (other[round]?.perSecond ?? Number.NaN)),
      );
}

/** Three digits are more than enough. */
function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}

function withRange({ median, least, most }: Spread): string {
  return least === most ? shown(median) : `${shown(median)} (${shown(least)}–${shown(most)})`;
}

function percent(value: number | undefined): string {
  return value === undefined ? '' : `${Math.round(value * 100)} %`;
}
