import { raise } from '../errors.ts';
import { payForText } from './size.ts';
import { tick } from '../meter.ts';
import { keyError } from '../objects/collections/dict.ts';
import { PyObject } from '../objects/object.ts';
import { typeName } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { getAttribute } from '../objects/protocol.ts';
import { stringItem } from './characters.ts';
import { format } from './format.ts';
import { asciiText, repr, str } from './repr.ts';

/** Where the fields of one `str.format` find their values. */
type Arguments = {
  readonly args: readonly Value[];
  readonly kwargs: Kwargs | undefined;
  counter: number | 'manual';
};

/** `text.format(*args, **kwargs)`. @throws ValueError, IndexError, KeyError, AttributeError */
export function bracesFormat(
  text: string,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): string {
  return formatted(text, { args, kwargs, counter: 0 }, 0);
}

const FIELD = /^([^!:]*?(?:\[[^\]]*\][^!:]*?)*)(?:!(.*?))?(?::(.*))?$/s;

function formatted(text: string, given: Arguments, depth: number): string {
  if (depth > 2) raise('ValueError', 'Max string recursion exceeded');
  let result = '';
  let at = 0;
  while (at < text.length) {
    tick(1);
    const c = text[at] ?? '';
    const doubled = text[at + 1] === c && depth === 0;
    if ((c === '{' || c === '}') && doubled) {
      result += c;
      at += 2;
    } else if (c === '}') {
      return raise('ValueError', "Single '}' encountered in format string");
    } else if (c === '{') {
      const end = closing(text, at);
      const value = field(text.slice(at + 1, end), given, depth);
      payForText(result.length + value.length);
      result += value;
      at = end + 1;
    } else {
      result += c;
      at += 1;
    }
  }
  return result;
}

function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return raise(
    'ValueError',
    open === text.length - 1
      ? "Single '{' encountered in format string"
      : "expected '}' before end of string",
  );
}

function field(inside: string, given: Arguments, depth: number): string {
  const [, name = '', conversion, spec = ''] = FIELD.exec(inside) ?? [];
  const value = resolved(name, given);
  const shown = conversion === undefined ? value : converted(value, conversion);
  return format(shown, formatted(spec, given, depth + 1));
}

/** `0.name[key]`: an argument, then its attributes and items. */
function resolved(name: string, given: Arguments): Value {
  const [, first = '', rest = ''] = /^([^.[]*)(.*)$/s.exec(name) ?? [];
  let value = argument(first, given);
  for (const [step, attribute, key] of rest.matchAll(/\.([^.[]+)|\[([^\]]*)\]|(.)/gs)) {
    if (attribute !== undefined) value = getAttribute(value, attribute);
    else if (key === undefined)
      raise(
        'ValueError',
        `Only '.' or '[' may follow ']' in format field specifier, not '${step}'`,
      );
    else if (value instanceof PyObject) value = value.item(/^\d+$/.test(key) ? Number(key) : key);
    else if (typeof value === 'string')
      value = stringItem(value, /^\d+$/.test(key) ? Number(key) : key);
    else raise('TypeError', `'${typeName(value)}' object is not subscriptable`);
  }
  return value;
}

function argument(name: string, given: Arguments): Value {
  if (name !== '' && !/^\d+$/.test(name)) {
    const value = given.kwargs?.get(name);
    return value === undefined ? keyError(name) : value;
  }
  const isSwitch =
    name === ''
      ? given.counter === 'manual'
      : typeof given.counter === 'number' && given.counter > 0;
  if (isSwitch) {
    raise(
      'ValueError',
      name === ''
        ? 'cannot switch from manual field specification to automatic field numbering'
        : 'cannot switch from automatic field numbering to manual field specification',
    );
  }
  const at = name === '' ? given.counter : Number(name);
  given.counter = typeof given.counter === 'number' && name === '' ? given.counter + 1 : 'manual';
  const value = given.args[Number(at)];
  return value === undefined
    ? raise('IndexError', `Replacement index ${String(at)} out of range for positional args tuple`)
    : value;
}

function converted(value: Value, conversion: string): string {
  if (conversion === 's') return str(value);
  if (conversion === 'r') return repr(value);
  if (conversion === 'a') return asciiText(value);
  return raise(
    'ValueError',
    `Unknown conversion specifier ${conversion === '' ? '' : `'${conversion}'`}`,
  );
}
