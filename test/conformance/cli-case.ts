import { fileURLToPath } from 'node:url';
import { RULES_COMMANDS } from '../../src/cli/rules/commands.ts';
import type { RulesCommand } from '../../src/cli/terminal.ts';
import { nameAndWords } from '../../src/cli/words.ts';
import { finite, list, object, stringShape } from '../../src/vortex/shape.ts';
import { textDifference, valueDifference } from './difference.ts';
import { formatDifference } from './format-case.ts';
import type { Folder, RecordedCase } from './folder.ts';
import { lintDifference } from './lint-case.ts';
import { saidAs } from './versions.ts';

const expected = object(
  {},
  {
    exit_code: finite,
    output: stringShape,
    output_contains: list(stringShape),
    lines_without_T103: list(stringShape),
    crash: stringShape,
  },
);
const cliCase = object({ argv: list(stringShape), expect: expected }, { tpv: stringShape });

const COMMANDS = new Map<string, RulesCommand>(Object.entries(RULES_COMMANDS));

/**
 * Compares a command's output on both streams together, and its exit code; it runs in the folder of
 * the fixtures.
 */
export async function judgeCommand(
  { fixtures }: Folder,
  { fields }: RecordedCase,
): Promise<string | undefined> {
  const { argv, expect, tpv } = cliCase(fields, 'case');
  const [name, words] = nameAndWords(argv.slice(1));
  const command = COMMANDS.get(name);
  if (command === undefined) return `there is no command '${name}'`;
  let output = '';
  const write = (part: string): void => {
    output += part;
  };
  const folder = fileURLToPath(fixtures);
  const code = await command(words, { folder, out: write, err: write });
  // The recordings have the paths of job configurations, which TPV prints in full, relative to the
  // folder of the fixtures.
  output = saidAs(tpv, output.replaceAll(folder, ''));
  const missing = expect.output_contains?.find((part) => !output.includes(part));
  if (missing !== undefined)
    return `output: ${JSON.stringify(output)} without ${JSON.stringify(missing)}`;
  if (name === 'lint') return lintDifference(output, code, expect);
  return (
    (expect.exit_code === undefined
      ? undefined
      : valueDifference('exit code', code, expect.exit_code)) ??
    (expect.output === undefined
      ? undefined
      : outputDifference(argv, output, expect.output, fixtures))
  );
}

function outputDifference(
  argv: readonly string[],
  output: string,
  expected: string,
  fixtures: URL,
): string | undefined {
  const [command, file] = argv.slice(-2);
  return command === 'format' && file !== undefined
    ? formatDifference(new URL(file, fixtures), output, expected)
    : textDifference('output', output, expected);
}
