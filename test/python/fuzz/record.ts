/**
 * Writes corpus.json: 2,000 generated programs with CPython's answers, for machines without
 * Python. `node test/python/fuzz/record.ts [--python python3]`. Programs of earlier
 * differences (found.json) come first.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compared } from './compared.ts';
import { Dice } from './dice.ts';
import { engineOutcome } from './engine.ts';
import { Oracle } from './oracle.ts';
import { Statements } from './statements.ts';
import { found } from './found.ts';

const WANTED = 2000;
const LONGEST = 600;
const { values } = parseArgs({ options: { python: { type: 'string', default: 'python3' } } });
const oracle = new Oracle(values.python);
const programs = [...found];
for (let seed = 1; programs.length < WANTED * 2; seed += 1) {
  const program = new Statements(new Dice(-seed)).program();
  if (program.length <= LONGEST && !/nan|locals\(\)/.test(program)) programs.push(program);
}
const answers = await oracle.answers(programs);
oracle.close();
const steady = programs
  .map((program, i) => [program, short(answers[i] ?? '')] as const)
  .filter(([program, answer], i) => {
    const isPlain =
      !answer.startsWith('?') && !answer.includes(' at 0x') && answer.length < 2 * LONGEST;
    return (
      i < found.length ||
      (isPlain &&
        compared(program, engineOutcome(program), answers[i] ?? '', false).kind !== 'skipped')
    );
  });
const raised = steady.filter(([, answer]) => answer.endsWith(':'));
const valued = steady.filter(([, answer]) => !answer.endsWith(':'));
const kept = [...valued.slice(0, WANTED * 0.75), ...raised.slice(0, WANTED * 0.25)];
const lines = kept.map((row) => JSON.stringify(row));
writeFileSync(new URL('corpus.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`);
process.stdout.write(`${kept.length} programs\n`);

/** An answer is kept whole when it is a value, and as its class when it is an exception. */
function short(answer: string): string {
  return /^([A-Za-z_]\w*): /.exec(answer)?.[0].trim() ?? answer;
}
