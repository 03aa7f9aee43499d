import type { Dice } from './dice.ts';
import { anything } from './grammar/anything.ts';
import { containers } from './grammar/containers.ts';
import { library } from './grammar/library.ts';
import { literals, specs } from './grammar/literals.ts';
import { numbers } from './grammar/numbers.ts';
import { regex, subject } from './grammar/regexes.ts';
import { stdlib } from './grammar/stdlib.ts';
import { strings } from './grammar/strings.ts';

/** Templates by type, one string each. */
const templates: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ ...numbers, ...strings, ...containers, ...anything, ...stdlib, ...library }).map(
    ([type, text]) => [type, text.split('\n').filter((line) => line !== '')],
  ),
);

const SIMPLE = /^(?:[A-Za-z_]\w*|'[^'\\]*')$/;
/** How often a slot gets a value of any type instead of the one that fits. */
const WRONG = 0.007;

/** Names that a program has bound so far, by type. */
export type Names = ReadonlyMap<string, readonly string[]>;

/** Makes expressions; `names` are the variables they may read. */
export class Expressions {
  readonly #dice: Dice;
  names: Names = new Map();

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** An expression of a type, nested at most `depth` deep. */
  of(type: string, depth: number): string {
    const dice = this.#dice;
    const wanted = dice.chance(WRONG) ? 'any' : type;
    if (wanted === 'spec') return this.#quoted(this.spec());
    if (wanted === 'fstring') return this.#fstring(depth);
    if (wanted === 'rx') return `r'${regex(dice, 2)}'`;
    if (wanted === 'subject') return `'${subject(dice)}'`;
    const known = this.names.get(wanted) ?? [];
    if (known.length > 0 && dice.chance(0.4)) return dice.among(known, 'None');
    const simple = literals[wanted] ?? [];
    const composed = templates.get(wanted) ?? [];
    if (simple.length > 0 && (depth <= 0 || composed.length === 0 || dice.chance(0.25)))
      return dice.among(simple, '0');
    if (depth <= -3) return this.#last(wanted);
    return this.fill(dice.among(composed, 'None'), depth - 1);
  }

  /** The shallowest expression of a type without literals. */
  #last(type: string): string {
    const plain = (templates.get(type) ?? []).filter((line) => !line.includes('$'));
    return this.#dice.among(plain, "'a'");
  }

  /** A template with its slots filled. */
  fill(template: string, depth: number): string {
    // A doubled dollar is one that stands for itself.
    const given = template.replaceAll('$$', '\0');
    return given
      .replace(/\$([a-z]+1?)/g, (whole, type: string, at: number) => {
        if (!isType(type)) return whole;
        const made = this.of(type, depth);
        const after = given[at + whole.length];
        const isBare = SIMPLE.test(made) || (/^[\d.]+$/.test(made) && after !== '.');
        return isBare || type === 'fstring' || type === 'leave' ? made : `(${made})`;
      })
      .replaceAll('\0', '$');
  }

  #quoted(text: string): string {
    return `'${text}'`;
  }

  /** A format specification, sometimes one that makes no sense. */
  spec(): string {
    const dice = this.#dice;
    const part = (of: readonly string[]): string => dice.among(of, '');
    const align = part(specs.align);
    const fill = align === '' ? '' : part(specs.fill);
    return [fill, align, part(specs.sign), part(specs.flags), part(specs.width)]
      .concat([part(specs.grouping), part(specs.precision), part(specs.type)])
      .join('');
  }

  /** The text of an f-string with its quotes; only what 3.11 reads too. */
  #fstring(depth: number): string {
    const dice = this.#dice;
    const parts = Array.from({ length: 1 + dice.below(3) }, () => this.#piece(depth));
    const inside = parts.join('');
    if (inside.includes('\\') || inside.includes('#{') || inside.includes("'''")) return "'plain'";
    if (!inside.includes("'")) return `'${inside}'`;
    if (!inside.includes('"')) return `"${inside}"`;
    return inside.includes('"""') || inside.endsWith('"') ? "'plain'" : `"""${inside}"""`;
  }
  #piece(depth: number): string {
    const dice = this.#dice;
    if (dice.chance(0.3)) return dice.pick(['text', '--mem=', ' ', '{{', '}}', 'é', '%', ': ']);
    const value = this.of(
      dice.pick(['any', 'num', 'str', 'float', 'int', 'word']),
      Math.min(depth, 1),
    );
    const clean = /[\\#!]|^\{|\n|:/.test(value)
      ? /[\\#\n]/.test(value)
        ? 'None'
        : `(${value})`
      : value;
    const tail = dice.pick(['', '', '', '!r', '!s', '!a', '=', ':', ':', '!r:', '=:']);
    const width = this.of('small', 0);
    const spec = dice.chance(0.2) ? `{${width}}` : this.spec();
    const shown = clean.startsWith('{') ? ` ${clean}` : clean;
    return `{${shown}${tail}${tail.endsWith(':') ? spec.replaceAll('#', '') : ''}}`;
  }
}

/** Types that have expressions of their own; the others stand for themselves in a template. */
function isType(name: string): boolean {
  return (
    templates.has(name) || name in literals || ['spec', 'fstring', 'rx', 'subject'].includes(name)
  );
}
