import { stringArgument } from '../builtins/strings.ts';
import { PyList } from '../objects/collections/list.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { nativeFunction } from '../objects/classes/native.ts';
import type { Value } from '../objects/object.ts';
import { items } from '../objects/protocol.ts';
import { shellPattern } from '../text/shell-pattern.ts';

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
