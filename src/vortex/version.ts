import { compare } from '../python/index.ts';

/** Compares tool versions as `galaxy.tool_util.version`: by PEP 440, with all other texts below. */
type Segment = number | string;
type Version = {
  readonly epoch: number;
  readonly release: readonly number[];
  /**
   * The phase (dev, alpha, beta, candidate, final) with its number, then 1 for a post release with
   * its number.
   */
  readonly stage: readonly [number, number, number, number];
  readonly dev: number;
  readonly local: readonly Segment[];
};

const PATTERN = new RegExp(
  String.raw`^v?(?:(\d+)!)?(\d+(?:\.\d+)*)` +
    String.raw`(?:[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?(\d*))?` +
    String.raw`(?:-(\d+)|[-_.]?(?:post|rev|r)[-_.]?(\d*))?` +
    String.raw`(?:[-_.]?(dev)[-_.]?(\d*))?` +
    String.raw`(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$`,
  'i',
);

/** Negative, zero or positive for `a` before, equal to, or after `b`. */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left === undefined || right === undefined)
    return left === right ? compareLegacy(a, b) : left === undefined ? -1 : 1;
  return (
    left.epoch - right.epoch ||
    compareNumbers(left.release, right.release) ||
    compareNumbers(left.stage, right.stage) ||
    left.dev - right.dev ||
    compareLocal(left.local, right.local)
  );
}

function parse(text: string): Version | undefined {
  const found = PATTERN.exec(text.trim());
  if (found === null) return undefined;
  const [, epoch, release = '', pre, preNumber, implicitPost, post, dev, devNumber, local] = found;
  const isPost = implicitPost !== undefined || post !== undefined;
  const isDev = dev !== undefined;
  const letter = pre?.[0]?.toLowerCase();
  // A lone dev release comes before every alpha, and a final release after every candidate.
  const phase =
    letter === undefined
      ? isDev && !isPost
        ? -1
        : 3
      : letter === 'a'
        ? 0
        : letter === 'b'
          ? 1
          : 2;
  return {
    epoch: Number(epoch ?? 0),
    release: trimmed(release.split('.').map(Number)),
    stage: [phase, Number(preNumber ?? 0), isPost ? 1 : 0, Number(implicitPost ?? post ?? 0)],
    dev: isDev ? Number(devNumber ?? 0) : Number.MAX_SAFE_INTEGER,
    local:
      local === undefined
        ? []
        : local
            .toLowerCase()
            .split(/[-_.]/)
            .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  };
}

/** 1.0 and 1.0.0 are the same release. */
function trimmed(release: readonly number[]): readonly number[] {
  const end = release.findLastIndex((part) => part !== 0);
  return release.slice(0, end + 1);
}

/**
 * Versions outside PEP 440, as setuptools compared them: numbers after words, `final` and its like
 * after `alpha` or `dev`, and zeros before a word or the end count for nothing.
 */
function compareLegacy(a: string, b: string): number {
  const [left, right] = [legacyParts(a), legacyParts(b)];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at < 0) return left.length - right.length;
  return compare(left[at] ?? '', right[at] ?? '');
}

const LEGACY_WORDS: ReadonlyMap<string, string> = new Map([
  ['pre', 'c'],
  ['preview', 'c'],
  ['-', 'final-'],
  ['rc', 'c'],
  ['dev', '@'],
]);
const END = '*final';

function legacyParts(text: string): readonly string[] {
  const made: string[] = [];
  const drop = (part: string): void => {
    while (made.at(-1) === part) made.pop();
  };
  const split = text.toLowerCase().split(/(\p{Nd}+|[a-z]+|\.|-)/u);
  for (const part of [...split.map(legacyPart), END]) {
    if (part === undefined) continue;
    if (part.startsWith('*')) {
      if (compare(part, END) < 0) drop('*final-');
      drop('00000000');
    }
    made.push(part);
  }
  return made;
}

function legacyPart(given: string): string | undefined {
  const part = LEGACY_WORDS.get(given) ?? given;
  if (part === '' || part === '.') return undefined;
  return /^[0-9]/.test(part) ? part.padStart(8, '0') : `*${part}`;
}

/** Numbers come after words, words by letters: `galaxy10` is before `galaxy9`. */
function compareLocal(a: readonly Segment[], b: readonly Segment[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a[i] ?? 0;
    const right = b[i] ?? 0;
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    if (typeof left === 'number') return 1;
    if (typeof right === 'number') return -1;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
