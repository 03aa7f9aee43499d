/**
 * Differential fuzzing of the Python layer: the same programs in our engine and in CPython.
 * `node test/python/fuzz/run.ts --count 100000 --seed 1 [--python python3] [--messages] [--show 20]`
 */
import { parseArgs } from 'node:util';
import { Dice } from './dice.ts';
import { compared } from './compared.ts';
import { engineOutcome } from './engine.ts';
import { Oracle } from './oracle.ts';
import { settled } from './settled.ts';
import { shrunk } from './shrink.ts';
import { Statements } from './statements.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    python: { type: 'string', default: 'python3' },
    show: { type: 'string', default: '20' },
    messages: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: true },
  },
  allowNegative: true,
});

const BATCH = 1000;
const [count, seed, show] = [Number(values.count), Number(values.seed), Number(values.show)];
const oracle = new Oracle(values.python);
/** The same CPython with other hashes: what the two answer differently has no answer. */
const other = new Oracle(values.python, 7);
const tally = { equal: 0, skipped: 0, different: 0, raised: 0 };
const kinds = new Map<string, number>();
const rules = new Map<string, number>();
let shown = 0;

for (let at = 0; at < count; at += BATCH) {
  const size = Math.min(BATCH, count - at);
  const programs = Array.from({ length: size }, (_, i) =>
    new Statements(new Dice(seed * 1_000_003 + at + i)).program(),
  );
  const theirs = await oracle.answers(programs);
  for (const [i, program] of programs.entries()) {
    const expected = theirs[i] ?? '';
    const ours = engineOutcome(program);
    const first = compared(program, ours, expected, values.messages);
    const isUnsteady =
      first.kind === 'different' &&
      settled((await other.answers([program]))[0] ?? '') !== settled(expected);
    const verdict = isUnsteady
      ? ({ kind: 'skipped', rule: 'CPython differs from itself' } as const)
      : first;
    tally[verdict.kind] += 1;
    if (verdict.kind === 'skipped') rules.set(verdict.rule, (rules.get(verdict.rule) ?? 0) + 1);
    if (/^\w+: /.test(expected)) tally.raised += 1;
    if (verdict.kind !== 'different') continue;
    const seen = kinds.get(verdict.why) ?? 0;
    kinds.set(verdict.why, seen + 1);
    if (shown >= show || seen >= (verdict.why === 'value for value' ? show / 2 : 1)) continue;
    shown += 1;
    const isStill = async (texts: readonly string[]): Promise<number> => {
      const answers = await oracle.answers(texts);
      return texts.findIndex((text, j) => {
        const found = compared(text, engineOutcome(text), answers[j] ?? '', values.messages);
        return found.kind === 'different' && found.why === verdict.why;
      });
    };
    const small = values.shrink ? await shrunk(program, isStill) : program;
    const [cpython = ''] = await oracle.answers([small]);
    process.stdout.write(
      `--- ${verdict.why} (program ${at + i})\n${small}\n  ours    ${engineOutcome(small)}\n  CPython ${cpython}\n`,
    );
  }
}
oracle.close();
other.close();
for (const [why, n] of [...kinds].sort((a, b) => b[1] - a[1]).slice(0, 40))
  process.stdout.write(`${n}\t${why}\n`);
process.stdout.write(
  `seed ${seed}: ${tally.equal} equal (${tally.raised} of all raised), ${tally.skipped} ` +
    `skipped, ${tally.different} different\n`,
);
process.stdout.write(`skipped: ${[...rules].map(([rule, n]) => `${rule} ${n}`).join(', ')}\n`);
process.exitCode = tally.different > 0 ? 1 : 0;
