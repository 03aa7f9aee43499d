import type { Dice } from '../dice.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

/**
 * A function with any mix of parameters, and calls of it with any mix of arguments.
 * Leaves its result in `r_NAME`.
 */
export function signature(dice: Dice): string {
  const calls = Array.from({ length: 2 }, () => `call_NAME(lambda: NAME(${args(dice)}))`);
  return `def NAME(${parameters(dice)}): return sorted(locals().items(), key=str)
def call_NAME(f):
    try:
        return f()
    except TypeError as e:
        return 'TypeError'
r_NAME = ${calls.join(', ')}`;
}

function args(dice: Dice): string {
  const positional = Array.from({ length: dice.below(4) }, () =>
    dice.pick(['$any', '$int', '*$tuple', '*[1]', "*'ab'"]),
  );
  const keywords = Array.from({ length: dice.below(3) }, () =>
    dice.pick([
      `${dice.among(NAMES, 'a')}=$int`,
      `**{'${dice.among(NAMES, 'a')}': $any}`,
      '**{}',
      'q=1',
    ]),
  );
  const names = keywords.map((keyword) => /^\w+(?==)/.exec(keyword)?.[0]);
  return [
    ...positional,
    ...keywords.filter((_, i) => names[i] === undefined || names.indexOf(names[i]) === i),
  ].join(', ');
}

function parameters(dice: Dice): string {
  const count = dice.below(5);
  const slash = dice.chance(0.3) ? 1 + dice.below(count + 1) : -1;
  const star = dice.chance(0.4) ? dice.below(count + 1) : -1;
  let isOptional = false;
  const parts: string[] = [];
  for (let i = 0; i < count; i += 1) {
    if (i === star) parts.push(dice.chance(0.5) ? '*rest' : '*');
    if (i === slash && (star < 0 || slash <= star)) parts.push('/');
    const isKeywordOnly = star >= 0 && i >= star;
    const hasDefault = isKeywordOnly ? dice.chance(0.5) : (isOptional ||= dice.chance(0.4));
    parts.push(`${NAMES[i] ?? 'z'}${hasDefault ? `=${dice.pick(['$any', '$int', 'None'])}` : ''}`);
  }
  if (dice.chance(0.3)) parts.push('**more');
  return parts.join(', ');
}
