import { PyError, raise } from '../../errors.ts';
import { frame } from '../../frame.ts';
import { payForText } from '../../text/size.ts';
import { PyDict } from '../../objects/collections/dict.ts';
import { PyException } from '../../objects/classes/exceptions.ts';
import type { Kwargs, Value } from '../../objects/object.ts';
import { truthy } from '../../objects/compare.ts';
import { PyTuple } from '../../objects/collections/tuple.ts';
import { percentFormat } from '../../text/percent.ts';
import { repr, str } from '../../text/repr.ts';
import { tracebackLines } from '../traceback.ts';

/** Logs one call: `args` are the message and its values. */
export function logMessage(
  logger: string,
  level: number,
  args: readonly Value[],
  kwargs?: Kwargs,
  hasException = false,
): null {
  const [message, ...values] = args;
  if (message === undefined) raise('TypeError', "missing 1 required positional argument: 'msg'");
  const { transcript } = frame;
  if (transcript === undefined || level < transcript.levelOf(logger)) return null;
  try {
    const text = formatted(message, values);
    payForText(text.length);
    const trouble = exceptionText(kwargs?.get('exc_info') ?? hasException);
    transcript.log(logger, level, () => (trouble === null ? text : `${text}\n${trouble}`));
  } catch (error) {
    // As in Python, a faulty record does not end the code that logs it.
    if (!(error instanceof PyError)) throw error;
    const shown = values.length === 0 ? '()' : repr(new PyTuple(values));
    transcript.print(
      'err',
      `--- Logging error ---\n${tracebackOf(error.value)}\nMessage: ${repr(message)}\nArguments: ${shown}\n`,
    );
  }
  return null;
}

function formatted(message: Value, values: readonly Value[]): string {
  if (values.length === 0) return str(message);
  const [only] = values;
  const isTable = values.length === 1 && only instanceof PyDict && truthy(only);
  return percentFormat(str(message), isTable ? only : new PyTuple(values));
}

/**
 * The text of `exc_info`: of the exception that the current `except` handles, or of the given one;
 * null for none.
 */
function exceptionText(given: Value): string | null {
  const value = given instanceof PyTuple ? (given.items[1] ?? null) : given;
  if (value instanceof PyException) return tracebackOf(value);
  return truthy(value) ? tracebackOf(frame.handled?.value ?? null) : null;
}

function tracebackOf(error: Value): string {
  return tracebackLines(error, true).join('').trimEnd();
}
