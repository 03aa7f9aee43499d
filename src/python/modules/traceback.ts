import { PyError } from '../errors.ts';
import { frame } from '../frame.ts';
import { PyException } from '../objects/classes/exceptions.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import { typeOf } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { truthy } from '../objects/compare.ts';
import { str } from '../text/repr.ts';
import { join } from '../emit/texts.ts';

const CAUSE = '\nThe above exception was the direct cause of the following exception:\n\n';
const CONTEXT = '\nDuring handling of the above exception, another exception occurred:\n\n';
/** Most exceptions of a chain in one text. */
const LONGEST = 50;

/**
 * The lines of a traceback. There are no frames here: each exception has the line of the snippet
 * that raised it.
 */
export function tracebackLines(
  error: Value,
  isChained: boolean,
  seen: ReadonlySet<Value> = new Set(),
): string[] {
  if (!(error instanceof PyException)) return [lastLine(error)];
  const known = new Set([...seen, error]);
  const before = (reason: Value, link: string): string[] =>
    isChained && reason !== null && !known.has(reason) && known.size < LONGEST
      ? [...tracebackLines(reason, true, known), link]
      : [];
  const earlier =
    error.cause !== null
      ? before(error.cause, CAUSE)
      : error.isContextSuppressed
        ? []
        : before(error.context, CONTEXT);
  const own =
    error.line === undefined
      ? []
      : [
          'Traceback (most recent call last):\n',
          `  File "<string>", line ${error.line}, in <module>\n`,
        ];
  return [...earlier, ...own, lastLine(error)];
}

/** The module `traceback`. */
export const traceback = moduleOf('traceback', () => ({
  format_exc: nativeFunction('format_exc(limit=, chain=)', (_limit, chain) =>
    join(tracebackLines(frame.handled?.value ?? null, isChained(chain))),
  ),
  format_exception: nativeFunction(
    'format_exception(exc, value=, tb=, limit=, chain=)',
    (exc: Value, value, _tb, _limit, chain) =>
      new PyList(tracebackLines(given(exc, value), isChained(chain))),
  ),
  format_exception_only: nativeFunction(
    'format_exception_only(exc, value=, /)',
    (exc: Value, value) => new PyList([lastLine(given(exc, value))]),
  ),
  print_exc: nativeFunction('print_exc(limit=, file=, chain=)', (_limit, _file, chain) =>
    printed(tracebackLines(frame.handled?.value ?? null, isChained(chain))),
  ),
  print_exception: nativeFunction(
    'print_exception(exc, value=, tb=, limit=, file=, chain=)',
    (exc: Value, value, _tb, _limit, _file, chain) =>
      printed(tracebackLines(given(exc, value), isChained(chain))),
  ),
}));

/** The last line of a traceback. */
function lastLine(error: Value): string {
  if (error === null) return 'NoneType: None\n';
  const text = textOf(error);
  return `${typeOf(error).label}${text === '' ? '' : `: ${text}`}\n`;
}

function textOf(error: Value): string {
  try {
    return str(error);
  } catch (failed) {
    if (!(failed instanceof PyError)) throw failed;
    return '<exception str() failed>';
  }
}

/** The exception of `f(exc)` or of the old form `f(type, value, traceback)`. */
function given(first: Value, second: Value | undefined): Value {
  return second === undefined ? first : second;
}

function isChained(chain: Value | undefined): boolean {
  return chain === undefined || truthy(chain);
}

/** Writes to the transcript of the evaluation, if there is one. */
function printed(lines: readonly string[]): null {
  frame.transcript?.print('err', join(lines));
  return null;
}
