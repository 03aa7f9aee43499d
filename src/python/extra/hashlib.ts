import { blake2b, blake2s } from '@noble/hashes/blake2.js';
import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { raise } from '../errors.ts';
import { tick } from '../meter.ts';
import { PyBytes } from '../objects/collections/bytes.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { defineGetters, defineMethods, nativeFunction } from '../objects/classes/native.ts';
import { indexOf } from '../objects/numbers/number.ts';
import { PyObject, asText } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { types } from '../objects/types.ts';
import type { Value } from '../objects/object.ts';
import { PySet } from '../objects/collections/set.ts';
import { hexDigits } from '../text/hex.ts';

/**
 * A hash of the library: takes its data piece by piece, and is copied before its digest is read,
 * which ends it.
 */
type Hasher = {
  update(data: Uint8Array): unknown;
  clone(): Hasher;
  digest(): Uint8Array;
  readonly outputLen: number;
  readonly blockLen: number;
};
const ALGORITHMS: Readonly<Record<string, () => Hasher>> = {
  md5: () => md5.create(),
  sha1: () => sha1.create(),
  sha224: () => sha224.create(),
  sha256: () => sha256.create(),
  sha384: () => sha384.create(),
  sha512: () => sha512.create(),
};

const hashClass = new PyClass('HASH', [types.object], { module: '_hashlib' });

/** A hash object. */
class Hash extends PyObject {
  readonly name: string;
  readonly hasher: Hasher;

  constructor(name: string, hasher: Hasher) {
    super();
    this.name = name;
    this.hasher = hasher;
  }
  get cls(): PyClass {
    return hashClass;
  }
  override repr(): string {
    return `<${this.name} _hashlib.HASH object>`;
  }
  /** Pays one step per four bytes: compressing a block takes some hundred operations. */
  update(v: Value): void {
    const data = dataOf(v);
    tick(16 + (data.length >> 2));
    this.hasher.update(data);
  }
  digest(): Uint8Array {
    tick(16);
    return this.hasher.clone().digest();
  }
}
defineMethods(hashClass, Hash, {
  'update(obj, /)': (self, data: Value = null) => {
    self.update(data);
    return null;
  },
  'digest()': (self) => new PyBytes(self.digest()),
  'hexdigest()': (self) => hexDigits(self.digest()),
  'copy()': (self) => new Hash(self.name, self.hasher.clone()),
});
defineGetters(hashClass, Hash, {
  name: (self) => self.name,
  digest_size: (self) => self.hasher.outputLen,
  block_size: (self) => self.hasher.blockLen,
});

const NAMES = [...Object.keys(ALGORITHMS), 'blake2b', 'blake2s'];

/** The module `hashlib`. */
export const hashlib = moduleOf('hashlib', () => ({
  ...Object.fromEntries(
    Object.keys(ALGORITHMS).map((name) => [
      name,
      nativeFunction(`${name}(string=, *, usedforsecurity=)`, (data) => started(name, data)),
    ]),
  ),
  blake2b: nativeFunction(
    'blake2b(data=, /, *, digest_size=, key=, usedforsecurity=)',
    (data, size, key) => blake('blake2b', data, size, key),
  ),
  blake2s: nativeFunction(
    'blake2s(data=, /, *, digest_size=, key=, usedforsecurity=)',
    (data, size, key) => blake('blake2s', data, size, key),
  ),
  new: nativeFunction('new(name, data=, *, usedforsecurity=)', (given: Value, data) => {
    const name = asText(given) ?? raise('TypeError', 'name must be a string');
    return name === 'blake2b' || name === 'blake2s'
      ? blake(name, data, undefined, undefined)
      : started(name.toLowerCase(), data);
  }),
  algorithms_available: new PySet(NAMES, true),
  algorithms_guaranteed: new PySet(NAMES, true),
}));

function started(name: string, data: Value | undefined): Value {
  const make = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined;
  if (make === undefined) return raise('ValueError', `unsupported hash type ${name}`);
  const made = new Hash(name, make());
  if (data !== undefined) made.update(data);
  return made;
}

/** `blake2b` and `blake2s`; the caller chooses the length of the digest. */
function blake(
  name: 'blake2b' | 'blake2s',
  data: Value | undefined,
  size: Value | undefined,
  key: Value | undefined,
): Value {
  const most = name === 'blake2b' ? 64 : 32;
  const dkLen = size === undefined ? most : indexOf(size);
  if (dkLen < 1 || dkLen > most)
    raise(
      'ValueError',
      `digest_size for ${name} must be between 1 and ${most} bytes, here it is ${dkLen}`,
    );
  const secret = key === undefined ? new Uint8Array() : dataOf(key);
  if (secret.length > most) raise('ValueError', `maximum key length is ${most} bytes`);
  const options = secret.length === 0 ? { dkLen } : { dkLen, key: secret };
  const made = new Hash(
    name,
    name === 'blake2b' ? blake2b.create(options) : blake2s.create(options),
  );
  if (data !== undefined) made.update(data);
  return made;
}

/** @throws TypeError */
function dataOf(v: Value): Uint8Array {
  if (v instanceof PyBytes) return v.data;
  return raise(
    'TypeError',
    asText(v) === undefined
      ? 'object supporting the buffer API required'
      : 'Strings must be encoded before hashing',
  );
}
