import { textDifference, valueDifference } from './difference.ts';

/** What is recorded of a lint: its lines and exit code, or the exception that it ended in. */
type Recorded = {
  readonly exit_code?: number;
  readonly lines_without_T103?: readonly string[];
  readonly crash?: string;
};

/**
 * Why a lint is not the recorded one; undefined when it is. TPV's ends in the exception at the
 * first text that is no Python, ours goes on.
 */
export function lintDifference(
  output: string,
  code: number,
  { exit_code: expected, lines_without_T103: lines, crash }: Recorded,
): string | undefined {
  if (crash?.startsWith('SyntaxError') === true && !/ is not Python: /.test(output))
    return `nothing is said of ${crash}`;
  const own = withoutExecute(output, code);
  return (
    (expected === undefined ? undefined : valueDifference('exit code', own.code, expected)) ??
    (lines === undefined
      ? undefined
      : textDifference('output', `${withoutTypes(own.output)}\n`, `${lines.join('\n')}\n`))
  );
}

const BROKEN_EXECUTE = /^ERROR: \S+ \S+: 'execute' of .* is not Python: .*\n {4}.*\n {4} *\^\n/gm;

/**
 * The lint without what it says of an `execute` that is no Python: in TPV that is
 * a warning of the type checker.
 */
function withoutExecute(
  output: string,
  code: number,
): { readonly output: string; readonly code: number } {
  const rest = output.replaceAll(BROKEN_EXECUTE, '');
  if (rest === output || /^ERROR/m.test(rest)) return { output: rest, code };
  return { output: rest.replace('lint failed.', 'lint successful.'), code: 0 };
}

/**
 * The recorder took TPV's type checker out of the output of lint, whose place our T103 takes; T2..
 * are codes that TPV does not have. Ours says where an unknown key stands.
 */
function withoutTypes(output: string): string {
  return output
    .split('\n')
    .filter((line) => line !== '' && !/ T(?:103|2\d\d): /.test(line))
    .map((line) => line.replace(/( T104: )\S+:\d+:\d+: (?=Unexpected field)/, '$1'))
    .join('\n');
}
