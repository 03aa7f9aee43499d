import { engineOutcome } from './engine.ts';
import { settled } from './settled.ts';

export type Verdict =
  | { readonly kind: 'equal' }
  | { readonly kind: 'skipped'; readonly rule: string }
  | { readonly kind: 'different'; readonly why: string };

/** The differences that are allowed, few and narrow: each by its name in FOUND.md. */
const RULES: readonly (readonly [
  string,
  (ours: string, theirs: string, program: string) => boolean,
])[] = [
  ['no seed', (ours) => ours === '?unseeded'],
  ['stopped', (ours, theirs) => ours.startsWith('?') || theirs.startsWith('?')],
  ['refused at load', (ours) => /^SyntaxError: .*not supported/.test(ours)],
  ['refused pattern', (ours) => /^error: .*not supported/.test(ours)],
  ['wide int', (ours) => ours.startsWith('OverflowError: int too large')],
  [
    'refused bytes',
    (ours) => /^NotImplementedError: .* of bytes (?:are|is) not supported/.test(ours),
  ],
  [
    'complex',
    (ours, theirs) => ours.includes('complex numbers are not supported') || /\dj\b/.test(theirs),
  ],
];

/**
 * Compares two outcomes: values by their repr, exceptions by their class, and
 * by their text when `messages`.
 */
export function compared(
  program: string,
  ours: string,
  theirs: string,
  messages: boolean,
): Verdict {
  const allowed = RULES.find(([, allows]) => allows(ours, theirs, program));
  if (allowed !== undefined) return { kind: 'skipped', rule: allowed[0] };
  const [a, b] = [raisedBy(ours), raisedBy(theirs)];
  if (a !== undefined && a === b) {
    if (!messages || ours === theirs) return { kind: 'equal' };
    return {
      kind: 'different',
      why: `text of ${a}: ${theirs.replaceAll(/'[^']*'|\d+/g, '_').slice(0, 70)}`,
    };
  }
  if (settled(ours) === settled(theirs)) return { kind: 'equal' };
  if (hasRefusedPattern(program)) return { kind: 'skipped', rule: 'refused pattern' };
  const text = (outcome: string): string =>
    (/^(?:Attr|Imp|Module)/.test(outcome)
      ? outcome
      : outcome.replaceAll(/'[^']*'|\d+/g, '_')
    ).slice(0, 70);
  const why = `${a === undefined ? 'value' : text(ours)} for ${b === undefined ? 'value' : text(theirs).slice(0, 40)}`;
  return { kind: 'different', why };
}

/** Class of an exception outcome; `undefined` for a value. */
function raisedBy(outcome: string): string | undefined {
  return /^([A-Za-z_]\w*): /.exec(outcome)?.[1];
}

/** Whether a program has a pattern that our `re` refuses, and may have caught the exception. */
function hasRefusedPattern(program: string): boolean {
  return [...program.matchAll(/(?<=[(, ])r'[^']*'/g)].some(([literal]) =>
    /^error: .*not supported/.test(engineOutcome(`import re\nre.compile(${literal})`)),
  );
}
