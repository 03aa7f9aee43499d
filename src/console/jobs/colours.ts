/** A part of a line with the classes of its colours. */
export type Piece = { readonly text: string; readonly classes: string };

/** The colours in force, as terminals set them. */
export type Pen = { readonly colour: string; readonly isBold: boolean; readonly isFaint: boolean };

/** No colours. */
export const PLAIN: Pen = { colour: '', isBold: false, isFaint: false };

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** Colours (SGR), any other sequence for terminals, and characters that have no picture. */
const SEQUENCE = new RegExp(
  [
    String.raw`\x1b\[([\d;]*)m`,
    String.raw`\x1b\[[0-?]*[ -/]*[@-~]`,
    // A title or a link, which ends with BEL or with ESC and a backslash.
    String.raw`\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|(?=\x1b)|$)`,
    // A set of characters has one more between.
    String.raw`\x1b[ -/]*.?`,
    String.raw`[\x00-\x08\x0b-\x1a\x7f]`,
  ].join('|'),
  'g',
);

/**
 * Splits a line at its changes of colour. Sequences that move the cursor are left out.
 *
 * @returns the parts with text, and the colours after them
 */
export function colour(
  line: string,
  pen: Pen,
): { readonly pieces: readonly Piece[]; readonly pen: Pen } {
  const pieces: Piece[] = [];
  let now = pen;
  let at = 0;
  const take = (end: number): void => {
    if (end > at) pieces.push({ text: line.slice(at, end), classes: classesOf(now) });
  };
  for (const found of line.matchAll(SEQUENCE)) {
    take(found.index);
    at = found.index + found[0].length;
    if (found[1] !== undefined) now = after(found[1], now);
  }
  take(line.length);
  return { pieces, pen: now };
}

function after(codes: string, pen: Pen): Pen {
  let now = pen;
  const numbers = codes.split(';').map(Number);
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    // 38 and 48 take a colour of a larger palette, which is not shown: 5;N or 2;R;G;B.
    if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : 4;
    else now = withCode(code, now);
  }
  return now;
}

function withCode(code: number, pen: Pen): Pen {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...pen, isBold: true };
  if (code === 2) return { ...pen, isFaint: true };
  if (code === 22) return { ...pen, isBold: false, isFaint: false };
  if (code === 39) return { ...pen, colour: '' };
  const name = NAMES[code >= 90 ? code - 90 : code - 30];
  return name !== undefined && (code >= 90 ? code <= 97 : code >= 30 && code <= 37)
    ? { ...pen, colour: name }
    : pen;
}

function classesOf({ colour: name, isBold, isFaint }: Pen): string {
  return [
    ...(name === '' ? [] : [`c-${name}`]),
    ...(isBold ? ['c-bold'] : []),
    ...(isFaint ? ['c-faint'] : []),
  ].join(' ');
}
