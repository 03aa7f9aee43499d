import { enumeration, intFlagBase } from '../enum/module.ts';

const FLAGS = [
  ['ASCII', 256],
  ['IGNORECASE', 2],
  ['LOCALE', 4],
  ['UNICODE', 32],
  ['MULTILINE', 8],
  ['DOTALL', 16],
  ['VERBOSE', 64],
] as const;

/** `re.RegexFlag`, whose members are also names of the module. */
export const flagClass = enumeration('RegexFlag', 're', intFlagBase, [['NOFLAG', 0], ...FLAGS], {
  shownIn: 're',
});

for (const [short, name] of [
  ['S', 'DOTALL'],
  ['X', 'VERBOSE'],
  ...FLAGS.slice(0, 5).map(([name]) => [name.slice(0, 1), name] as const),
] as const) {
  const member = flagClass.members.get(name);
  if (member !== undefined) flagClass.add(short, member, false);
}
