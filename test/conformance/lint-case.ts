import { textDifference, valueDifference } from './difference.ts';

/** A recorded lint: its lines and exit code, or its exception. */
type Recorded = {
  readonly exit_code?: number;
  readonly lines_without_T103?: readonly string[];
  readonly crash?: string;
};

/**
 * The difference from the recorded lint, or undefined. TPV's lint ends with an exception at the
 * first text that is not Python; ours continues.
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
 * The lint without its errors about an `execute` that is not Python: in TPV its type checker warns
 * of it.
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
 * The recorder removed TPV's type checker, which our T103 replaces, from the output; TPV has no
 * T2.. codes; ours gives the place of an unknown key.
 */
function withoutTypes(output: string): string {
  return output
    .split('\n')
    .filter((line) => line !== '' && !/ T(?:103|2\d\d): /.test(line))
    .map((line) => line.replace(/( T104: )\S+:\d+:\d+: (?=Unexpected field)/, '$1'))
    .join('\n');
}
