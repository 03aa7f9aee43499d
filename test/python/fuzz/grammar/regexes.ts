import type { Dice } from '../dice.ts';

const ATOMS =
  String.raw`a b c x 1 _ - . \d \w \s \W [ab] [^a] [a-c] [^\d_] \. é 😀 ^ $ \b \B \A \Z (?:) [\w-]`.split(
    ' ',
  );
const QUANTIFIERS = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,1}', '{2,}?', '{,2}'];

/** A regular expression out of pieces; most of them mean something. */
export function regex(dice: Dice, depth: number): string {
  const branch = (): string =>
    Array.from({ length: 1 + dice.below(3) }, () => piece(dice, depth)).join('');
  const branches = Array.from({ length: dice.chance(0.2) ? 2 : 1 }, branch);
  return branches.join('|');
}

/** A text in which such an expression finds something now and then. */
export function subject(dice: Dice): string {
  return Array.from({ length: dice.below(9) }, () =>
    dice.among(['a', 'b', 'c', 'x', '1', '_', '-', ' ', 'é', '😀', '.'], 'a'),
  ).join('');
}

function piece(dice: Dice, depth: number): string {
  const isGroup = depth > 0 && dice.chance(0.3);
  const open = dice.pick(['(', '(', '(?:', '(?=', '(?!', '(?<=', '(?<!']);
  const atom = isGroup
    ? `${open}${regex(dice, depth - 1)})`
    : dice.chance(0.03)
      ? String.raw`\1`
      : dice.among(ATOMS, 'a');
  return dice.chance(0.3) ? atom + dice.among(QUANTIFIERS, '') : atom;
}
