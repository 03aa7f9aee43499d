import type { Dice } from './dice.ts';
import { Expressions } from './expressions.ts';
import { CLASSES } from './grammar/classes.ts';
import { FLOWS } from './grammar/flows.ts';
import { FUNCTIONS } from './grammar/functions.ts';
import { OBJECTS } from './grammar/objects.ts';
import { PATTERNS } from './grammar/patterns.ts';
import { LIBRARY } from './grammar/library.ts';
import { STDLIB } from './grammar/stdlib.ts';
import { signature } from './grammar/signatures.ts';

const TYPES = [
  'int',
  'float',
  'str',
  'list',
  'ilist',
  'slist',
  'dict',
  'bool',
  'tuple',
  'set',
  'any',
  'num',
] as const;
const MODULES =
  'math re json datetime random itertools functools statistics collections operator string ' +
  'copy fnmatch typing numbers time dataclasses bisect heapq textwrap contextlib enum shlex ' +
  'traceback base64 uuid decimal';

/** The imports that a program needs, read off its text. */
export function withImports(text: string): string {
  const needed = MODULES.split(' ').filter((name) => new RegExp(`\\b${name}\\.`).test(text));
  const lines = needed.map((name) => `import ${name}`);
  if (text.includes('urllib.parse')) lines.push('import urllib.parse');
  if (text.includes('packaging.version')) lines.push('import packaging.version');
  if (text.includes('collections.abc')) lines.push('import collections.abc');
  return [...lines, text].join('\n');
}

/** Makes blocks of statements that end in an expression, as rules do. */
export class Statements {
  readonly #dice: Dice;
  readonly #make: Expressions;
  readonly #names = new Map<string, string[]>();
  #last = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#make = new Expressions(dice);
    this.#make.names = this.#names;
  }

  /** A whole program. */
  program(): string {
    const dice = this.#dice;
    const kind = dice.roll();
    if (kind < 0.4)
      return withImports(this.#make.of(dice.pick([...TYPES, 'fstring' as const, 'str']), 3));
    const lines = Array.from({ length: 1 + dice.below(5) }, () => this.#statement(2));
    const shown = [...this.#names.values()].flat();
    const result = dice.chance(0.7)
      ? `(${[...shown, this.#make.of('any', 1)].join(', ')},)`
      : this.#make.of('any', 2);
    return withImports([...lines, result].join('\n'));
  }

  #fresh(type: string): string {
    this.#last += 1;
    const name = `${dicePrefix(type)}${this.#last}`;
    return name;
  }
  #bind(name: string, type: string): void {
    this.#names.set(type, [...(this.#names.get(type) ?? []), name]);
  }
  #block(depth: number): string {
    return indented(
      Array.from({ length: 1 + this.#dice.below(2) }, () => this.#statement(depth - 1)).join('\n'),
    );
  }
  #of(type: string, depth = 2): string {
    return this.#make.of(type, depth);
  }

  #statement(depth: number): string {
    const dice = this.#dice;
    const roll = dice.roll();
    if (depth <= 0 || roll < 0.3) return this.#assignment();
    if (roll < 0.4) return this.#change();
    if (roll < 0.5) return this.#conditional(depth);
    if (roll < 0.58) return this.#loop(depth);
    if (roll < 0.68) return this.#guarded(depth);
    const table = dice.pick([
      FUNCTIONS,
      FUNCTIONS,
      CLASSES,
      OBJECTS,
      FLOWS,
      FLOWS,
      PATTERNS,
      PATTERNS,
      STDLIB,
      STDLIB,
      STDLIB,
      LIBRARY,
      LIBRARY,
      [signature(dice)],
    ]);
    return this.#fromTable(table);
  }

  #assignment(): string {
    const dice = this.#dice;
    const type = dice.pick(TYPES);
    const name = this.#fresh(type);
    const code = `${name} = ${this.#of(type)}`;
    this.#bind(name, type);
    return code;
  }

  /** A statement that changes what a name has, or does something to it. */
  #change(): string {
    const dice = this.#dice;
    const type = dice.pick(['int', 'list', 'dict', 'set', 'str', 'float']);
    const known = this.#names.get(type) ?? [];
    if (known.length === 0) return this.#assignment();
    const name = dice.among(known, '_');
    const templates: Readonly<Record<string, readonly string[]>> = {
      int: [
        'N += $int',
        'N -= $num',
        'N *= $small',
        'N //= $int',
        'N **= $small',
        'N %= $int',
        'N |= $int',
        'N <<= $small',
      ],
      float: ['N += $num', 'N /= $num', 'N *= $num', 'N //= $num'],
      str: ['N += $str', 'N *= $small', 'N %= $any'],
      list: [
        'N.append($any)',
        'N.extend($list)',
        'N += $list',
        'N *= $small',
        'N.insert($small, $any)',
        'N.reverse()',
      ]
        .concat([
          'N.sort()',
          'N.sort(key=str, reverse=True)',
          'N[$small] = $any',
          'N[$small:$small] = $list',
          'N.clear()',
        ])
        .concat([
          'N[::$small] = $list',
          'del N[$small]',
          'del N[$small:]',
          'N.remove($any)',
          'N.append(N)',
          'del N[::2]',
        ]),
      dict: [
        'N[$word] = $any',
        'N.update($dict)',
        'N |= $dict',
        'del N[$word]',
        'N.setdefault($word, []).append($any)',
      ].concat([
        'N.pop($word, None)',
        'N[$any] = $any',
        'N.clear()',
        'N.update(a=$int)',
        'N[$word] += $int',
      ]),
      set: [
        'N.add($small)',
        'N |= $set',
        'N -= $set',
        'N &= $set',
        'N.update($ilist)',
        'N.discard($int)',
        'N.remove($int)',
      ],
    };
    return this.#make.fill(dice.among(templates[type] ?? [], 'pass'), 1).replaceAll('N', name);
  }

  #conditional(depth: number): string {
    const head = `if ${this.#of('bool')}:\n${this.#block(depth)}`;
    const middle = this.#dice.chance(0.3)
      ? `\nelif ${this.#of('any')}:\n${this.#block(depth)}`
      : '';
    return head + middle + (this.#dice.chance(0.6) ? `\nelse:\n${this.#block(depth)}` : '');
  }

  #loop(depth: number): string {
    const dice = this.#dice;
    const name = this.#fresh('int');
    const otherwise = dice.chance(0.3) ? `\nelse:\n${this.#block(depth)}` : '';
    const leave = dice.pick([
      '',
      `\n    if ${this.#of('bool', 1)}: break`,
      `\n    if ${this.#of('bool', 1)}: continue`,
    ]);
    if (dice.chance(0.3)) {
      return (
        `${name} = 0\nwhile ${name} < ${dice.below(5)}:\n    ${name} += 1${leave}\n` +
        `${this.#block(depth)}${otherwise}`
      );
    }
    const [target, source] = dice.pick([
      [name, 'ilist'],
      [`${name}, ${name}v`, 'dict'],
      [`${name}, *${name}r`, 'list'],
      [name, 'slist'],
      [name, 'any'],
    ]);
    const over = source === 'dict' ? `(${this.#of('dict', 1)}).items()` : this.#of(source, 1);
    return `for ${target} in ${over}:${leave === '' ? '' : leave}\n${this.#block(depth)}${otherwise}`;
  }

  #guarded(depth: number): string {
    const dice = this.#dice;
    const name = this.#fresh('str');
    const types =
      '(ValueError, TypeError)|Exception|ZeroDivisionError|(KeyError, IndexError)|LookupError|ArithmeticError';
    const caught = dice.among(types.split('|'), 'Exception');
    const handler = dice.pick([
      `${name} = type(e).__name__`,
      `${name} = type(e).__name__, len(e.args)`,
      'pass',
      'raise',
    ]);
    const otherwise = dice.chance(0.3) ? `\nelse:\n    ${name}e = 1` : '';
    const last = dice.chance(0.3) ? `\nfinally:\n    ${name}f = ${this.#of('int', 0)}` : '';
    return (
      `${name} = None\ntry:\n${this.#block(depth)}\nexcept ${caught} as e:\n    ${handler}` +
      `\nexcept Exception as e:\n    ${name} = (0, type(e).__name__)${otherwise}${last}`
    );
  }

  #fromTable(table: readonly string[]): string {
    const name = this.#fresh('any');
    const text = this.#make.fill(this.#dice.among(table, 'pass'), 1).replaceAll('NAME', name);
    this.#bind(`r_${name}`, 'any');
    return text;
  }
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

function dicePrefix(type: string): string {
  return type.slice(0, 2);
}
