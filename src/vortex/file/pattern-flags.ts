/**
 * Flags of a Python regular expression that change what its parts mean; `ignoreCase` is
 * JavaScript's `i`.
 */
export type Flags = {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
  readonly ascii: boolean;
};

const NO_FLAGS: Flags = {
  ignoreCase: false,
  multiline: false,
  dotAll: false,
  verbose: false,
  ascii: false,
};

const NAMES: { readonly [letter: string]: keyof Flags } = {
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  x: 'verbose',
  a: 'ascii',
};

/** The flags with those of `letters` on or off. `u` is the default. */
export function withFlags(flags: Flags, letters: string, isOn = true): Flags {
  const made = { ...flags };
  for (const letter of letters) {
    const name = NAMES[letter];
    if (name !== undefined) made[name] = isOn;
    else if (letter === 'u') made.ascii = false;
  }
  return made;
}

/** The flags at the beginning of a pattern (`(?i)`), and the index behind them. */
export function leadingFlags(source: string): { readonly flags: Flags; readonly end: number } {
  const [text = ''] = /^(?:\(\?[aimsux]+\))*/.exec(source) ?? [];
  return { flags: withFlags(NO_FLAGS, text.replaceAll(/[()?]/g, '')), end: text.length };
}

/** `\d`, `\w` and `\s` as text between the brackets of a set. */
export function classOf(letter: string, { ascii }: Flags): string | undefined {
  return (ascii ? ASCII : UNICODE)[letter];
}

const UNICODE: { readonly [letter: string]: string } = {
  d: String.raw`\p{Nd}`,
  w: String.raw`\p{L}\p{N}_`,
  s: String.raw`\s\x1c-\x1f\x85`,
};
const ASCII: { readonly [letter: string]: string } = {
  d: '0-9',
  w: 'A-Za-z0-9_',
  s: String.raw` \t-\r`,
};
