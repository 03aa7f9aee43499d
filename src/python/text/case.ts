/** Case conversions that JavaScript lacks: title case and folding. */

/**
 * Letters whose title case is neither their upper case nor its first letter followed by lower case.
 */
const DIGRAPHS: Readonly<Record<string, string>> = {
  Ǆ: 'ǅ',
  ǅ: 'ǅ',
  ǆ: 'ǅ',
  Ǉ: 'ǈ',
  ǈ: 'ǈ',
  ǉ: 'ǈ',
  Ǌ: 'ǋ',
  ǋ: 'ǋ',
  ǌ: 'ǋ',
  Ǳ: 'ǲ',
  ǲ: 'ǲ',
  ǳ: 'ǲ',
};

const CASED = /\p{Cased}/u;

/** `str.title`: a letter after another becomes lower case. */
export function titleCased(text: string): string {
  const lower = Array.from(text);
  let before = false;
  return lower
    .map((c, i) => {
      const shown = before ? lowered(lower, i) : titled(c);
      before = CASED.test(c);
      return shown;
    })
    .join('');
}

/** `str.swapcase`. */
export function swapCased(text: string): string {
  const all = Array.from(text);
  return all
    .map((c, i) =>
      /\p{Uppercase}/u.test(c) ? lowered(all, i) : /\p{Lowercase}/u.test(c) ? c.toUpperCase() : c,
    )
    .join('');
}

/** `str.istitle`. */
export function isTitle(text: string): boolean {
  let before = false;
  let any = false;
  for (const c of text) {
    const isHigh = /[\p{Uppercase}\p{Lt}]/u.test(c);
    const isLow = /\p{Lowercase}/u.test(c);
    if ((isHigh && before) || (isLow && !before)) return false;
    before = isHigh || isLow;
    any ||= before;
  }
  return any;
}

/** `str.capitalize`. */
export function capitalized(word: string): string {
  const [first = '', ...rest] = Array.from(word);
  return titled(first) + rest.map((_, i) => lowered([first, ...rest], i + 1)).join('');
}

/**
 * Unicode's full case folding of a character; for these few it differs from the lower case of the
 * upper case.
 */
export function folded(c: string): string {
  if (c === 'ı') return c;
  if (c === 'ẞ') return 'ss';
  if (/[\u13a0-\u13fd\uab70-\uabbf]/.test(c)) return c.toUpperCase();
  return Array.from(c.toUpperCase(), (upper) => upper.toLowerCase()).join('');
}

/** A character in lower case; a sigma at the end of a word has a form of its own. */
function lowered(all: readonly string[], i: number): string {
  const c = all[i] ?? '';
  if (c !== 'Σ') return c.toLowerCase();
  return (
    all
      .slice(Math.max(0, i - 30), i + 30)
      .join('')
      .toLowerCase()[
      all
        .slice(Math.max(0, i - 30), i)
        .join('')
        .toLowerCase().length
    ] ?? 'σ'
  );
}

/** Python's title case of one character. */
function titled(c: string): string {
  const digraph = DIGRAPHS[c];
  if (digraph !== undefined) return digraph;
  if (/[\u10d0-\u10fa\u10fd-\u10ff\p{Lt}]/u.test(c)) return c;
  const point = c.codePointAt(0) ?? 0;
  if (point >= 0x1f80 && point <= 0x1faf) return String.fromCodePoint(point | 8);
  if (point === 0x1fb3 || point === 0x1fc3 || point === 0x1ff3)
    return String.fromCodePoint(point + 9);
  const upper = c.toUpperCase();
  if (point >= 0x1fb2 && point <= 0x1ff7) return upper.replace(/(?<=.)\u0399$/su, '\u0345');
  if (c === '\u0149') return upper;
  const [first = '', ...rest] = Array.from(upper);
  return rest.length === 0 ? upper : first + rest.join('').toLowerCase();
}
