import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { stringArgument } from '../builtins/strings.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import type { Value } from '../objects/object.ts';
import { items } from '../objects/protocol.ts';

const matchesShell = nativeFunction('fnmatch(name, pat)', (name: Value, pattern: Value) =>
  shellPattern(stringArgument(pattern, 'pattern')).test(stringArgument(name, 'name')),
);
/** The module `fnmatch`. */
export const fnmatch = moduleOf('fnmatch', {
  fnmatch: matchesShell,
  fnmatchcase: matchesShell,
  filter: nativeFunction('filter(names, pat)', (names: Value, pattern: Value) => {
    const expression = shellPattern(stringArgument(pattern, 'pattern'));
    return new PyList(items(names).filter((name) => expression.test(stringArgument(name, 'name'))));
  }),
});

/** A shell pattern as a regular expression: `*`, `?`, `[seq]`, `[!seq]`. */
function shellPattern(pattern: string): RegExp {
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
