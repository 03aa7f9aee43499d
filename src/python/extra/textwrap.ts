import { SPACE, text, dedented, indented } from './indents.ts';
import { raise } from '../errors.ts';
import { payForText } from '../text/size.ts';
import { tick } from '../meter.ts';
import { truthy } from '../objects/compare.ts';
import { PyInstance } from '../objects/classes/instance.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { defineMethods, nativeFunction, PyBuiltin } from '../objects/classes/native.ts';
import { indexOf } from '../objects/numbers/number.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { wrapped } from './wrapping.ts';
import type { Wrapping } from './wrapping.ts';

/** The options of a TextWrapper and their defaults, in the order of its parameters. */
const OPTIONS: readonly (readonly [name: string, value: Value])[] = [
  ['width', 70],
  ['initial_indent', ''],
  ['subsequent_indent', ''],
  ['expand_tabs', true],
  ['replace_whitespace', true],
  ['fix_sentence_endings', false],
  ['break_long_words', true],
  ['drop_whitespace', true],
  ['break_on_hyphens', true],
  ['tabsize', 8],
  ['max_lines', null],
  ['placeholder', ' [...]'],
];
/** Options from this one on can only be given by name. */
const POSITIONAL = 9;

const wrapperClass = new PyClass('TextWrapper', [types.object], { module: 'textwrap' });
/** `textwrap.TextWrapper`: its options are attributes, which a snippet may change. */
class TextWrapper extends PyInstance {}
wrapperClass.create = (cls, args, kwargs) => {
  const made = new TextWrapper(cls);
  for (const [name, value] of optionsOf(args, kwargs)) made.attributes.set(name, value);
  return made;
};
defineMethods(wrapperClass, TextWrapper, {
  'wrap(text)': (self, v: Value) => new PyList(linesOf(v, self.attributes)),
  'fill(text)': (self, v: Value) => joined(linesOf(v, self.attributes)),
});

/** The module `textwrap`. */
export const textwrap = moduleOf('textwrap', () => ({
  TextWrapper: wrapperClass,
  wrap: wrapping('wrap', (v, options) => new PyList(linesOf(v, options))),
  fill: wrapping('fill', (v, options) => joined(linesOf(v, options))),
  shorten: wrapping('shorten', shortened, true),
  dedent: nativeFunction('dedent(text)', dedented),
  indent: nativeFunction('indent(text, prefix, predicate=)', indented),
}));

/** A function of a text, followed by the options of a TextWrapper. */
function wrapping(
  name: string,
  make: (v: Value, options: ReadonlyMap<string, Value>) => Value,
  needsWidth = false,
): Value {
  return new PyBuiltin(name, (args, kwargs) => {
    const named = new Map(kwargs ?? []);
    const [v = named.get('text'), width, ...more] = args;
    if (args.length === 0) named.delete('text');
    if (v === undefined)
      return raise('TypeError', `${name}() missing 1 required positional argument: 'text'`);
    if (more.length > 0)
      raise(
        'TypeError',
        `${name}() takes ${needsWidth ? '' : 'from 1 to '}2 positional arguments but ${args.length} were given`,
      );
    if (needsWidth && width === undefined && !named.has('width'))
      raise('TypeError', `${name}() missing 1 required positional argument: 'width'`);
    if (width !== undefined) named.set('width', width);
    return make(v, optionsOf([], named));
  });
}

function optionsOf(args: readonly Value[], kwargs: Kwargs | undefined): Map<string, Value> {
  if (args.length > POSITIONAL)
    raise(
      'TypeError',
      `TextWrapper.__init__() takes from 1 to ${POSITIONAL + 1} positional arguments but ${args.length + 1} were given`,
    );
  const options = new Map(OPTIONS);
  for (const [i, value] of args.entries()) options.set(OPTIONS[i]?.[0] ?? '', value);
  for (const [name, value] of kwargs ?? []) {
    const at = OPTIONS.findIndex(([known]) => known === name);
    if (at < 0)
      raise('TypeError', `TextWrapper.__init__() got an unexpected keyword argument '${name}'`);
    if (at < args.length)
      raise('TypeError', `TextWrapper.__init__() got multiple values for argument '${name}'`);
    options.set(name, value);
  }
  return options;
}

/** One line of at most `width` characters. */
function shortened(v: Value, options: ReadonlyMap<string, Value>): Value {
  if (typeof v !== 'string')
    return raise('AttributeError', `'${typeName(v)}' object has no attribute 'strip'`);
  tick(v.length >> 2);
  const words = v.split(SPACE).filter((word) => word !== '');
  return joined(linesOf(words.join(' '), new Map([...options, ['max_lines', 1]])));
}

function joined(lines: readonly string[]): string {
  payForText(lines.reduce((sum, line) => sum + line.length + 1, 0));
  return lines.join('\n');
}

function linesOf(v: Value, options: ReadonlyMap<string, Value>): string[] {
  const how = wrappingOf(options);
  if (typeof v === 'string') return wrapped(v, how);
  if (!how.expandsTabs && !how.replacesSpace)
    return raise('TypeError', `expected string or bytes-like object, got '${typeName(v)}'`);
  return raise(
    'AttributeError',
    `'${typeName(v)}' object has no attribute '${how.expandsTabs ? 'expandtabs' : 'translate'}'`,
  );
}

function wrappingOf(options: ReadonlyMap<string, Value>): Wrapping {
  const get = (name: string): Value => options.get(name) ?? null;
  const is = (name: string): boolean => truthy(get(name));
  return {
    width: indexOf(get('width')),
    first: text(get('initial_indent')),
    others: text(get('subsequent_indent')),
    expandsTabs: is('expand_tabs'),
    replacesSpace: is('replace_whitespace'),
    fixesSentences: is('fix_sentence_endings'),
    breaksWords: is('break_long_words'),
    dropsSpace: is('drop_whitespace'),
    breaksAtHyphens: is('break_on_hyphens'),
    tabSize: indexOf(get('tabsize')),
    maxLines: get('max_lines') === null ? undefined : indexOf(get('max_lines')),
    placeholder: text(get('placeholder')),
  };
}
