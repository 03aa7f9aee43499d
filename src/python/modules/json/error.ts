import { raise } from '../../errors.ts';
import type { PyError } from '../../errors.ts';
import { madeError, placedIn, withInit } from '../../objects/classes/exception-data.ts';
import { exceptionClass, exceptionNamed } from '../../objects/classes/exceptions.ts';
import { typeName } from '../../objects/types.ts';
import { str } from '../../text/repr.ts';

/** `json.JSONDecodeError`. */
export const decodeError = exceptionClass(
  'JSONDecodeError',
  exceptionNamed('ValueError'),
  'json.decoder',
);

withInit(decodeError, '__init__(msg, doc, pos)', (msg = null, doc = null, pos = null) => {
  const place =
    placedIn(doc, pos) ?? raise('TypeError', `a position is in a text, not in ${typeName(doc)}`);
  const { lineno, colno } = place;
  const full = `${str(msg)}: line ${lineno} column ${colno} (char ${place.pos})`;
  return { args: [full], attributes: { msg, doc, pos, lineno, colno } };
});

/** The JSONDecodeError at a place of a text, in characters. */
export function invalidJson(message: string, text: string, at: number): PyError {
  return madeError(decodeError, [message, text, at]);
}
