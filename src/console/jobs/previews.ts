/** How a result can be shown in place. */
export type Preview = 'page' | 'image' | 'table' | 'fits' | 'text';

const ENDINGS: ReadonlyMap<string, Preview> = new Map([
  ['csv', 'table'],
  ['tsv', 'table'],
  ['fits', 'fits'],
  ['fit', 'fits'],
  ['json', 'text'],
  ['yaml', 'text'],
  ['yml', 'text'],
  ['txt', 'text'],
  ['md', 'text'],
  ['log', 'text'],
  ['py', 'text'],
  ['xml', 'text'],
]);
const ROWS = 100;
const COLUMNS = 30;
const CARD = 80;
const BLOCK = 2880;

/** How a result of this name and media type is shown; undefined: only downloaded. */
export function previewOf(name: string, mimeType: string): Preview | undefined {
  const [type = ''] = mimeType.toLowerCase().split(';');
  const byName = ENDINGS.get(name.toLowerCase().split('.').at(-1) ?? '');
  if (byName === 'fits' || type.endsWith('/fits')) return 'fits';
  if (byName === 'table' || type === 'text/csv' || type === 'text/tab-separated-values')
    return 'table';
  if (type === 'text/html') return 'page';
  if (/^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/.test(type)) return 'image';
  return type.startsWith('text/') || type.endsWith('json') ? 'text' : byName;
}

/** The first rows of a table in text, with what was left out. */
export type TablePart = { readonly rows: readonly (readonly string[])[]; readonly isCut: boolean };

/**
 * Reads the beginning of a table with commas, semicolons or tabs (RFC 4180: a field in quotes may
 * have them and line ends).
 *
 * @param isPart the text ends within the file, so its last row may be cut
 */
export function tableOf(text: string, isPart: boolean): TablePart {
  const [head = ''] = text.split('\n', 1);
  const mark = ['\t', ';', ','].find((each) => head.includes(each)) ?? ',';
  const all = rowsOf(text, mark);
  const whole = isPart && all.length > 1 ? all.slice(0, -1) : all;
  const rows = whole.slice(0, ROWS).map((row) => row.slice(0, COLUMNS));
  return {
    rows,
    isCut: isPart || whole.length > ROWS || whole.some((row) => row.length > COLUMNS),
  };
}

/** A keyword of a FITS header, its value and comment. */
export type FitsCard = { readonly key: string; readonly value: string };

/**
 * Reads the headers at the beginning of a FITS file: cards of 80 characters in blocks of 2,880
 * bytes (FITS 4.0 § 3.3). Stops where data begin.
 *
 * @param text the bytes as Latin-1
 */
export function fitsCards(text: string): readonly FitsCard[] {
  if (!text.startsWith('SIMPLE  =')) return [];
  const cards: FitsCard[] = [];
  let hasData = false;
  for (let at = 0; at + CARD <= text.length; at += CARD) {
    const card = text.slice(at, at + CARD);
    const key = card.slice(0, 8).trim();
    if (key === 'END') {
      if (hasData) return cards;
      // A header without data, so the next one follows.
      at = Math.ceil((at + CARD) / BLOCK) * BLOCK - CARD;
      if (!text.startsWith('XTENSION', at + CARD)) return cards;
      continue;
    }
    const value = card[8] === '=' ? card.slice(10) : card.slice(8);
    if (key === 'NAXIS') hasData = Number(value.split('/')[0]) > 0;
    if (key !== '' || value.trim() !== '') cards.push({ key, value: value.trim() });
  }
  return cards;
}

function rowsOf(text: string, mark: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = (): void => {
    row.push(field);
    field = '';
  };
  for (let at = 0; at < text.length && rows.length <= ROWS + 1; at += 1) {
    const sign = text[at] ?? '';
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && field === '') isQuoted = true;
    else if (sign === mark) endField();
    else if (sign === '\n') {
      endField();
      rows.push(row);
      row = [];
    } else if (sign !== '\r') field += sign;
  }
  if (field !== '' || row.length > 0) {
    endField();
    rows.push(row);
  }
  return rows;
}
