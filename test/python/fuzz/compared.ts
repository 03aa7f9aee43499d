export type Verdict =
  | { readonly kind: 'equal' }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'different'; readonly why: string };

/** Class of an exception outcome; `undefined` for a value. */
const raisedBy = (outcome: string): string | undefined => /^([A-Za-z_]\w*): /.exec(outcome)?.[1];

/**
 * The differences that are allowed, few and narrow: a run that either side stopped for its time, memory or steps; ints
 * wider than ours may be; programs refused at load by name; addresses and names of objects that have no other text.
 */
function isAllowed(ours: string, theirs: string): boolean {
  if (ours.startsWith('?') || theirs.startsWith('?')) return true;
  if (/^SyntaxError: .*not supported/.test(ours)) return true;
  if (ours.startsWith('NotImplementedError: this evaluation was given no source')) return true;
  return ours.startsWith('OverflowError: int too large') || ours.includes('complex numbers are not supported');
}

/** Programs that take elements out of sets and go on. */
const REMOVES = /\^|difference|discard|remove|-=/;

/**
 * A value without what differs from run to run of CPython too: the addresses of objects, and the order of sets that
 * have a text in them. With `anyOrder`, of all sets: where elements were taken out, CPython's table keeps holes that
 * are not followed here.
 */
function settled(outcome: string, anyOrder: boolean): string {
  return outcome
    .replaceAll(/ at 0x[0-9a-f]+/gi, '')
    .replaceAll(/\{((?:'[^'{}]*'|\w+|-?[\d.]+(?:e[-+]?\d+)?)(?:, (?:'[^'{}]*'|\w+|-?[\d.]+(?:e[-+]?\d+)?))*)\}/g, (whole, inside: string) =>
      anyOrder || /['N]/.test(inside) ? `{${inside.split(', ').sort().join(', ')}}` : whole,
    );
}

/** Compares two outcomes: values by their repr, exceptions by their class, and by their text when `messages`. */
export function compared(program: string, ours: string, theirs: string, messages: boolean): Verdict {
  if (isAllowed(ours, theirs)) return { kind: 'skipped' };
  const [a, b] = [raisedBy(ours), raisedBy(theirs)];
  if (a !== undefined && a === b) {
    if (!messages || ours === theirs) return { kind: 'equal' };
    return { kind: 'different', why: `text of ${a}: ${theirs.replaceAll(/'[^']*'|\d+/g, '_').slice(0, 70)}` };
  }
  const anyOrder = REMOVES.test(program);
  if (settled(ours, anyOrder) === settled(theirs, anyOrder)) return { kind: 'equal' };
  const text = (outcome: string): string =>
    (/^(?:Attr|Imp|Module)/.test(outcome) ? outcome : outcome.replaceAll(/'[^']*'|\d+/g, '_')).slice(0, 70);
  const why = `${a === undefined ? 'value' : text(ours)} for ${b === undefined ? 'value' : text(theirs).slice(0, 40)}`;
  return { kind: 'different', why };
}
