import { escapeText } from '../../../src/xml/escape.ts';
import type { Frame } from './profile.ts';

const WIDTH = 1600;
const ROW = 17;
/** The deepest are chains of imports at the start. */
const DEEPEST = 60;
/** Narrower frames cannot be seen. */
const LEAST = 0.4;
/** A letter of the font, about. */
const LETTER = 6.2;

type Box = {
  readonly frame: Frame;
  readonly x: number;
  readonly width: number;
  readonly depth: number;
};

/** The frames as a flame graph, callers below what they call; tooltips tell share and time. */
export function svgOf(root: Frame): string {
  const boxes = boxesOf(root, 0, 0, WIDTH / root.time);
  const depth = Math.max(...boxes.map((box) => box.depth)) + 1;
  const height = depth * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" ` +
      'font-family="monospace" font-size="10">',
    ...boxes.map((box) => drawn(box, height, root.time)),
    '</svg>\n',
  ].join('\n');
}

function boxesOf(frame: Frame, x: number, depth: number, scale: number): readonly Box[] {
  const width = frame.time * scale;
  if (width < LEAST || depth >= DEEPEST) return [];
  const above = [];
  let next = x;
  for (const call of frame.calls) {
    above.push(...boxesOf(call, next, depth + 1, scale));
    next += call.time * scale;
  }
  return [{ frame, x, width, depth }, ...above];
}

function drawn({ frame, x, width, depth }: Box, height: number, all: number): string {
  const y = height - (depth + 1) * ROW;
  const share = `${((frame.time / all) * 100).toFixed(1)} %, ${(frame.time / 1000).toFixed(0)} ms`;
  const letters = Math.floor((width - 4) / LETTER);
  const label = letters < 3 ? '' : escapeText(frame.name.slice(0, letters));
  return (
    `<g><title>${escapeText(`${frame.name}: ${share}`)}</title>` +
    `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" ` +
    `fill="hsl(${hueOf(frame.name)} 70% 72%)"/>` +
    `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${label}</text></g>`
  );
}

/** The project's code is orange, packages are green, Node and V8 are blue. */
function hueOf(name: string): number {
  const base = name.includes('node_modules/') ? 120 : /\b(?:src|workers)\//.test(name) ? 25 : 210;
  const spread = [...name].reduce(
    (sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 30,
    7,
  );
  return base + spread - 15;
}
