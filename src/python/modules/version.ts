import { PyError, raise } from '../errors.ts';
import { PyException, exceptionClass, exceptionNamed } from '../objects/classes/exceptions.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { defineGetters, nativeFunction } from '../objects/classes/native.ts';
import { PyObject } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Key, OrderOp, Value } from '../objects/object.ts';
import { orderOf } from '../objects/compare.ts';
import { COMPOUND } from '../objects/key.ts';
import { integer } from '../objects/numbers/number.ts';
import { PyTuple } from '../objects/collections/tuple.ts';
import { repr } from '../text/repr.ts';

/** PEP 440, as packaging.version reads it. */
const VERSION = new RegExp(
  '^\\s*v?(?:(?<epoch>\\d+)!)?(?<release>\\d+(?:\\.\\d+)*)' +
    '(?<pre>[-_.]?(?<preWord>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>\\d+)?)?' +
    '(?<post>-(?<postOnly>\\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>\\d+)?)?' +
    '(?<dev>[-_.]?dev[-_.]?(?<devNumber>\\d+)?)?(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\\s*$',
  'i',
);
const PRE: Readonly<Record<string, string>> = {
  alpha: 'a',
  a: 'a',
  beta: 'b',
  b: 'b',
  c: 'rc',
  pre: 'rc',
  preview: 'rc',
  rc: 'rc',
};

const versionClass = new PyClass('Version', [types.object], { module: 'packaging.version' });
const invalidVersion = exceptionClass(
  'InvalidVersion',
  exceptionNamed('ValueError'),
  'packaging.version',
);

/** One step of the order of versions, with a rank, so that numbers and texts compare. */
type Int = number | bigint;
type Part = readonly [rank: number, n: Int, text: string];
type Parsed = {
  readonly epoch: Int;
  readonly release: readonly Int[];
  readonly pre: readonly [string, Int] | undefined;
  readonly post: Int | undefined;
  readonly dev: Int | undefined;
  readonly local: readonly (string | Int)[] | undefined;
};

/** A version number. */
class Version extends PyObject {
  readonly parsed: Parsed;
  readonly #key: readonly (readonly Part[])[];

  constructor(parsed: Parsed) {
    super();
    this.parsed = parsed;
    this.#key = keyOf(parsed);
  }
  get cls(): PyClass {
    return versionClass;
  }
  override str(): string {
    const { epoch, pre, post, dev, local } = this.parsed;
    const release = this.parsed.release.join('.');
    const tail =
      (pre?.join('') ?? '') +
      (post === undefined ? '' : `.post${post}`) +
      (dev === undefined ? '' : `.dev${dev}`);
    return `${epoch === 0 ? '' : `${epoch}!`}${release}${tail}${local === undefined ? '' : `+${local.join('.')}`}`;
  }
  override repr(): string {
    return `<Version(${repr(this.str())})>`;
  }
  override key(): Key {
    const plain = (_: string, n: unknown): unknown => (typeof n === 'bigint' ? `${n}` : n);
    return `${COMPOUND}v${JSON.stringify(this.#key, plain)}`;
  }
  compared(other: Version): number {
    for (const [i, parts] of this.#key.entries()) {
      const sign = compareParts(parts, other.#key[i] ?? []);
      if (sign !== 0) return sign;
    }
    return 0;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof Version ? this.compared(other) === 0 : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof Version ? orderOf(op, this.compared(other), 0) : undefined;
  }
}

/** -1, 0 or 1 of two version texts by PEP 440; `undefined` when either is invalid. */
export function comparePackageVersions(left: string, right: string): number | undefined {
  const [a, b] = [parse(left), parse(right)];
  return a === undefined || b === undefined
    ? undefined
    : Math.sign(new Version(a).compared(new Version(b)));
}

versionClass.create = (_cls, [text = null]) => versionOf(text);
defineGetters(versionClass, Version, {
  release: (self) => new PyTuple(self.parsed.release),
  major: (self) => self.parsed.release[0] ?? 0,
  minor: (self) => self.parsed.release[1] ?? 0,
  micro: (self) => self.parsed.release[2] ?? 0,
  epoch: (self) => self.parsed.epoch,
  pre: (self) => (self.parsed.pre === undefined ? null : new PyTuple([...self.parsed.pre])),
  post: (self) => self.parsed.post ?? null,
  dev: (self) => self.parsed.dev ?? null,
  local: (self) => self.parsed.local?.join('.') ?? null,
  public: (self) => self.str().split('+')[0] ?? '',
  base_version: (self) =>
    `${self.parsed.epoch === 0 ? '' : `${self.parsed.epoch}!`}${self.parsed.release.join('.')}`,
  is_prerelease: (self) => self.parsed.pre !== undefined || self.parsed.dev !== undefined,
  is_postrelease: (self) => self.parsed.post !== undefined,
  is_devrelease: (self) => self.parsed.dev !== undefined,
});

/** The modules `packaging` and `packaging.version`. */
export const packagingVersion = moduleOf('packaging.version', {
  Version: versionClass,
  InvalidVersion: invalidVersion,
  parse: nativeFunction('parse(version)', versionOf),
});
export const packaging = moduleOf('packaging', { version: packagingVersion });

function parse(text: string): Parsed | undefined {
  const groups = VERSION.exec(text)?.groups;
  if (groups === undefined || text.length > 1000) return undefined;
  const number = (name: string): Int => whole(groups[name] ?? '0');
  const local = groups['local']
    ?.toLowerCase()
    .split(/[-_.]/)
    .map((part) => (/^\d+$/.test(part) ? whole(part) : part));
  return {
    epoch: number('epoch'),
    release: (groups['release'] ?? '').split('.').map(whole),
    pre:
      groups['pre'] === undefined
        ? undefined
        : [PRE[groups['preWord']?.toLowerCase() ?? ''] ?? '', number('preNumber')],
    post:
      groups['post'] === undefined
        ? undefined
        : whole(groups['postOnly'] ?? groups['postNumber'] ?? '0'),
    dev: groups['dev'] === undefined ? undefined : number('devNumber'),
    local,
  };
}

/** An int of any size from its digits. */
function whole(digits: string): Int {
  return integer(BigInt(digits));
}

/**
 * The sort key of `packaging`: dev < pre < final < post; a local version comes after the same
 * without one.
 */
function keyOf({ epoch, release, pre, post, dev, local }: Parsed): readonly (readonly Part[])[] {
  const trimmed = [...release];
  while (trimmed.length > 0 && trimmed.at(-1) === 0) trimmed.pop();
  const onlyDev = pre === undefined && post === undefined && dev !== undefined;
  const preKey: Part = pre === undefined ? [onlyDev ? -1 : 1, 0, ''] : [0, pre[1], pre[0]];
  return [
    [[0, epoch, '']],
    trimmed.map((n): Part => [0, n, '']),
    pre === undefined
      ? [preKey]
      : [
          [0, 0, pre[0]],
          [0, pre[1], ''],
        ],
    [post === undefined ? [-1, 0, ''] : [0, post, '']],
    [dev === undefined ? [1, 0, ''] : [0, dev, '']],
    local === undefined
      ? [[-2, 0, '']]
      : local.map((part): Part => (typeof part === 'string' ? [0, 0, part] : [1, part, ''])),
  ];
}

function compareParts(left: readonly Part[], right: readonly Part[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const a: Part = left[i] ?? [0, 0, ''];
    const b: Part = right[i] ?? [0, 0, ''];
    if (a[0] !== b[0]) return a[0] - b[0];
    if (a[2] !== b[2]) return a[2] < b[2] ? -1 : 1;
    if (a[1] !== b[1]) return a[1] < b[1] ? -1 : 1;
  }
  return left.length - right.length;
}

function versionOf(text: Value): Version {
  if (typeof text !== 'string')
    return raise('TypeError', `expected string or bytes-like object, got '${typeName(text)}'`);
  const parsed = parse(text);
  if (parsed !== undefined) return new Version(parsed);
  const message = `Invalid version: ${repr(text)}`;
  throw new PyError(
    'InvalidVersion',
    [message],
    message,
    new PyException(invalidVersion, [message]),
  );
}
