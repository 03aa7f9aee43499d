import type { Value } from '../objects/object.ts';

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
  '\\': '\\',
};
const PIECE = /\\(?:g<([^>]*)>|([1-9]\d?)|(0)|(.))/gsu;

/** The first escape of a letter that means nothing in a replacement text, with its place. */
export function strangeEscape(template: string): { readonly escape: string; readonly at: number } | undefined {
  for (const { 4: c = '', index, 0: escape } of template.matchAll(PIECE))
    if (/[A-Za-z]/.test(c) && CONTROLS[c] === undefined) return { escape, at: index };
  return undefined;
}

/** The replacement text of `re.sub`: `\1`, `\g<name>` and escapes filled in. */
export function expandTemplate(template: string, group: (of: Value) => Value): string {
  const text = (of: Value): string => {
    const value = group(of);
    return typeof value === 'string' ? value : '';
  };
  return template.replace(
    PIECE,
    (whole, name: string | undefined, number: string | undefined, zero: string | undefined, c: string | undefined) => {
      if (name !== undefined) return text(/^\d+$/.test(name) ? Number(name) : name);
      if (number !== undefined) return text(Number(number));
      if (zero !== undefined) return '\0';
      const known = CONTROLS[c ?? ''];
      if (known !== undefined) return known;
      return whole;
    },
  );
}
