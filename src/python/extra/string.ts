import { PyError, raise } from '../errors.ts';
import { stringArgument } from '../builtins/strings.ts';
import { PyDict, keyError } from '../objects/collections/dict.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { defineGetters, defineVariadic, nativeFunction } from '../objects/classes/native.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { capitalized } from '../text/case.ts';
import { SPACES } from '../text/characters.ts';
import { str } from '../text/repr.ts';

const SPACE = new RegExp(`[${SPACES}]+`, 'u');

const templateClass = new PyClass('Template', [types.object], { module: 'string' });
const PLACE = /\$(?:(\$)|([_a-z][_a-z0-9]*)|\{([_a-z][_a-z0-9]*)\}|)/gi;

/** `string.Template`: a text with `$name` and `${name}` placeholders. */
class Template extends PyObject {
  readonly template: string;

  constructor(template: string) {
    super();
    this.template = template;
  }
  get cls(): PyClass {
    return templateClass;
  }
  /**
   * The text with its placeholders filled; `isSafe` keeps those without a value, and whatever is no
   * placeholder.
   */
  filled(args: readonly Value[], kwargs: Kwargs | undefined, isSafe: boolean): string {
    if (args.length > 1)
      raise('TypeError', `substitute() takes at most 1 argument (${args.length} given)`);
    const valueOf = (name: string): Value | undefined => {
      const own = kwargs?.get(name);
      if (own !== undefined) return own;
      const [mapping] = args;
      if (mapping instanceof PyDict)
        return mapping.contains(name) || mapping.missing !== undefined
          ? mapping.item(name)
          : undefined;
      if (mapping === undefined || mapping instanceof PyObject) return mapping?.item(name);
      return raise('TypeError', `'${typeName(mapping)}' object is not subscriptable`);
    };
    return this.template.replace(
      PLACE,
      (whole, dollar?: string, plain?: string, braced?: string, at?: number) => {
        if (dollar !== undefined) return '$';
        const name = plain ?? braced;
        if (name === undefined) return isSafe ? whole : this.#invalid(at ?? 0);
        const value = isSafe ? safely(() => valueOf(name)) : valueOf(name);
        if (value !== undefined) return str(value);
        return isSafe ? whole : keyError(name);
      },
    );
  }
  #invalid(at: number): never {
    const lines = this.template.slice(0, at).split('\n');
    return raise(
      'ValueError',
      `Invalid placeholder in string: line ${lines.length}, col ${(lines.at(-1)?.length ?? 0) + 1}`,
    );
  }
}
templateClass.create = (_cls, [template = null]) =>
  new Template(stringArgument(template, 'template'));
defineVariadic(templateClass, Template, 'substitute', (self, args, kwargs) =>
  self.filled(args, kwargs, false),
);
defineVariadic(templateClass, Template, 'safe_substitute', (self, args, kwargs) =>
  self.filled(args, kwargs, true),
);
defineGetters(templateClass, Template, { template: (self) => self.template });

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';
const WHITESPACE = ' \t\n\r\v\f';
/** The module `string`. */
export const string = moduleOf('string', {
  Template: templateClass,
  ascii_lowercase: LOWER,
  ascii_uppercase: UPPER,
  ascii_letters: LOWER + UPPER,
  digits: DIGITS,
  hexdigits: `${DIGITS}abcdefABCDEF`,
  octdigits: '01234567',
  punctuation: PUNCTUATION,
  whitespace: WHITESPACE,
  printable: DIGITS + LOWER + UPPER + PUNCTUATION + WHITESPACE,
  capwords: nativeFunction('capwords(s, sep=)', (s: Value, sep) => {
    const separator =
      sep === undefined || sep === null ? undefined : stringArgument(sep, 'capwords() argument');
    if (typeof s !== 'string')
      return raise('AttributeError', `'${typeName(s)}' object has no attribute 'split'`);
    const words = s.split(separator ?? SPACE);
    const kept = separator === undefined ? words.filter((word) => word !== '') : words;
    return kept.map(capitalized).join(separator ?? ' ');
  }),
});

/** The result of `read`; `undefined` for KeyError. */
function safely(read: () => Value | undefined): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PyError && error.className === 'KeyError') return undefined;
    throw error;
  }
}
