import { raise } from '../errors.ts';
import { tick } from '../meter.ts';

/** A shell pattern as a regular expression: `*`, `?`, `[seq]`, `[!seq]`. */
export function shellPattern(pattern: string): RegExp {
  tick(pattern.length);
  const source = pattern.replace(/\[!?\]?[^\]]*\]|[\s\S]/gu, (piece) => {
    if (piece === '*') return '[\\s\\S]*';
    if (piece === '?') return '[\\s\\S]';
    if (piece.length < 2 || !piece.startsWith('['))
      return piece.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const inside = piece
      .slice(1, -1)
      .replace(/[\\\][^]/g, '\\$&')
      .replace(/^!/, '^');
    return `[${inside}]`;
  });
  try {
    return new RegExp(`^${source.replaceAll('[\\s\\S]*[\\s\\S]*', '[\\s\\S]*')}$`, 'u');
  } catch {
    return raise('ValueError', `bad pattern ${pattern}`);
  }
}
