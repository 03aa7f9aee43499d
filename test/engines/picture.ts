import { inflateSync } from 'node:zlib';

/** A picture with 8 bits for each of red, green, blue and opacity. */
export type Picture = {
  readonly width: number;
  readonly height: number;
  /** how many pixels have a colour, by `#rrggbb` */
  readonly colours: ReadonlyMap<string, number>;
};

const SIGNATURE = '89504e470d0a1a0a';
/** Depth 8, RGBA, the only compression and filters, not interlaced. */
const KIND = '0806000000';
const PIXEL = 4;

/**
 * Reads a PNG (its third edition, sections 5 to 9) of the kind that matplotlib writes.
 *
 * @throws Error if it is none
 */
export function readPng(file: Buffer): Picture {
  const header = file.subarray(16, 29);
  if (file.toString('hex', 0, 8) !== SIGNATURE || header.toString('hex', 8) !== KIND)
    throw new Error(`no PNG with RGBA: ${file.toString('hex', 0, 32)}`);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const pixels = unfiltered(inflateSync(Buffer.concat([...dataOf(file)])), width * PIXEL, height);
  const colours = new Map<string, number>();
  for (let at = 0; at < pixels.length; at += PIXEL) {
    const colour = `#${pixels.toString('hex', at, at + 3)}`;
    colours.set(colour, (colours.get(colour) ?? 0) + 1);
  }
  return { width, height, colours };
}

function* dataOf(file: Buffer): Generator<Buffer> {
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      yield file.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
}

/** Each line begins with its filter, which says what was subtracted from its bytes. */
function unfiltered(lines: Buffer, width: number, height: number): Buffer {
  const pixels = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    const [filter, start, out] = [lines[y * (width + 1)], y * (width + 1) + 1, y * width];
    for (let x = 0; x < width; x += 1) {
      const left = x < PIXEL ? 0 : (pixels[out + x - PIXEL] ?? 0);
      const above = y === 0 ? 0 : (pixels[out + x - width] ?? 0);
      const corner = y === 0 || x < PIXEL ? 0 : (pixels[out + x - width - PIXEL] ?? 0);
      pixels[out + x] = (lines[start + x] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return pixels;
}

function predicted(
  filter: number | undefined,
  left: number,
  above: number,
  corner: number,
): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return Math.floor((left + above) / 2);
    case 4:
      return nearestOf(left + above - corner, [left, above, corner]);
    default:
      throw new Error(`no filter of a PNG: ${filter}`);
  }
}

/** Paeth's: the first of those that are as near. */
function nearestOf(estimate: number, values: readonly [number, number, number]): number {
  return values.reduce((best, value) =>
    Math.abs(estimate - value) < Math.abs(estimate - best) ? value : best,
  );
}
