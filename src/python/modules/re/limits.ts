/**
 * Finds where a JavaScript expression would capture other groups than Python's `re`, which keeps a
 * group's match from an earlier round of a loop, fails on a reference to an unmatched group, and
 * requires a fixed width after `(?<=`.
 */
type Part = {
  /** Least and greatest number of UTF-16 units, or characters, that it matches. */
  readonly min: number;
  readonly max: number;
  /** Groups inside, and those of them that match whenever the part matches. */
  readonly groups: ReadonlySet<number>;
  readonly certain: ReadonlySet<number>;
  /** Whether it may match nothing although something fits: it has branches, or is lazy. */
  readonly chooses: boolean;
};

const NONE: ReadonlySet<number> = new Set();
const EMPTY: Part = { min: 0, max: 0, groups: NONE, certain: NONE, chooses: false };
const ONE: Part = { ...EMPTY, min: 1, max: 1 };
const ESCAPE = String.raw`\\(?:u\{[0-9a-fA-F]+\}|[pP]\{\w+\}|x[0-9a-f]{2}|[1-9]\d*|[\s\S])`;
const SET = String.raw`\[(?:\\[\s\S]|[^\]\\])*\]`;
const GROUP = String.raw`\(\?(?:-?i:|[:=!]|<[=!])`;
const COUNT = String.raw`\{\d+(?:,\d*)?\}`;
const TOKEN = new RegExp(String.raw`${ESCAPE}|${SET}|${GROUP}|${COUNT}|[\s\S]`, 'gu');

/** Why an expression cannot run, in the words of `re.error`; `undefined` when it can. */
export function limitOf(source: string): string | undefined {
  return new Analysis(source).problem();
}

/** Reads the expressions that pattern.ts writes; they are well formed. */
class Analysis {
  readonly #tokens: readonly string[];
  /** Width of each group, by number. */
  readonly #widths = new Map<number, Part>();
  /** The order in which groups end, by number. */
  readonly closing: number[] = [];
  #at = 0;
  #count = 0;
  /** How many groups there were at the start of each enclosing look-behind. */
  readonly #behind: number[] = [];
  #problem: string | undefined;

  constructor(source: string) {
    this.#tokens = source.match(TOKEN) ?? [];
    this.#choice(NONE);
  }
  problem(): string | undefined {
    return this.#problem;
  }
  #says(problem: string): void {
    this.#problem ??= problem;
  }

  /** Branches up to the end of the group; `before` are the groups that certainly matched before. */
  #choice(before: ReadonlySet<number>): Part {
    let whole = this.#branch(before);
    while (this.#tokens[this.#at] === '|') {
      this.#at += 1;
      const next = this.#branch(before);
      whole = {
        min: Math.min(whole.min, next.min),
        max: Math.max(whole.max, next.max),
        groups: union(whole.groups, next.groups),
        certain: new Set([...whole.certain].filter((group) => next.certain.has(group))),
        chooses: true,
      };
    }
    return whole;
  }
  #branch(before: ReadonlySet<number>): Part {
    let whole = EMPTY;
    for (
      let token = this.#tokens[this.#at];
      token !== undefined && token !== '|' && token !== ')';
      token = this.#tokens[this.#at]
    ) {
      this.#at += 1;
      const part = this.#repeated(this.#atom(token, union(before, whole.certain)));
      whole = {
        min: whole.min + part.min,
        max: whole.max + part.max,
        groups: union(whole.groups, part.groups),
        certain: union(whole.certain, part.certain),
        chooses: whole.chooses || part.chooses,
      };
    }
    return whole;
  }
  #atom(token: string, before: ReadonlySet<number>): Part {
    if (token === '^' || token === '$') return EMPTY;
    if (token.startsWith('(')) return this.#group(token, before);
    if (!/^\\[1-9]/.test(token)) return ONE;
    const group = Number(token.slice(1));
    if (this.#behind.some((first) => group > first))
      this.#says('cannot refer to group defined in the same lookbehind subpattern');
    if (!before.has(group))
      this.#says(`a reference to group ${group}, which may have no match there, is not supported`);
    const { min, max } = this.#widths.get(group) ?? EMPTY;
    return { ...EMPTY, min, max };
  }
  #group(token: string, before: ReadonlySet<number>): Part {
    const number = token === '(' ? (this.#count += 1) : 0;
    const isBehind = token.startsWith('(?<');
    if (isBehind) this.#behind.push(this.#count);
    const inside = this.#choice(before);
    if (isBehind) this.#behind.pop();
    this.#at += 1;
    if (/^\(\?(?:-?i)?:$/.test(token)) return inside;
    if (token === '(') {
      this.closing.push(number);
      this.#widths.set(number, inside);
      const own = new Set([number]);
      return { ...inside, groups: union(inside.groups, own), certain: union(inside.certain, own) };
    }
    if (token.startsWith('(?<') && inside.min !== inside.max)
      this.#says('look-behind requires fixed-width pattern');
    return token.endsWith('=') ? { ...inside, min: 0, max: 0 } : EMPTY;
  }
  #repeated(part: Part): Part {
    const token = this.#tokens[this.#at] ?? '';
    const [low, high] = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[token] ??
      bounds(token) ?? [1, 1];
    if (low === 1 && high === 1 && !token.startsWith('{')) return part;
    this.#at += 1;
    const isLazy = this.#tokens[this.#at] === '?';
    if (isLazy) this.#at += 1;
    if (part.min === 0 && (part.groups.size > 0 || part.chooses))
      this.#says('repeating a group that may match nothing is not supported');
    if (high > 1 && part.certain.size < part.groups.size)
      this.#says(
        'repeating a group with another in it that takes part in some rounds only is not supported',
      );
    const max = high === 0 || part.max === 0 ? 0 : part.max * high;
    const certain = low > 0 ? part.certain : NONE;
    return {
      min: part.min * low,
      max,
      groups: part.groups,
      certain,
      chooses: part.chooses || isLazy,
    };
  }
}

/** The groups of an expression in the order in which they end. */
export function closingOrder(source: string): readonly number[] {
  return new Analysis(source).closing;
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return new Set([...a, ...b]);
}

function bounds(token: string): readonly [number, number] | undefined {
  const [, low, comma, high] = /^\{(\d+)(,?)(\d*)\}$/.exec(token) ?? [];
  if (low === undefined) return undefined;
  return [Number(low), comma === '' ? Number(low) : high === '' ? Infinity : Number(high)];
}
