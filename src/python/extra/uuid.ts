import { md5, sha1 } from '@noble/hashes/legacy.js';
import { raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { tick } from '../meter.ts';
import { PyBytes, bytesOf } from '../objects/collections/bytes.ts';
import { orderOf } from '../objects/compare.ts';
import { COMPOUND } from '../objects/key.ts';
import { moduleOf } from '../objects/classes/module.ts';
import { defineGetters, defineMethods, nativeFunction } from '../objects/classes/native.ts';
import { asInt, integer } from '../objects/numbers/number.ts';
import { PyObject, asText } from '../objects/object.ts';
import { PyClass } from '../objects/class.ts';
import { typeName, types } from '../objects/types.ts';
import type { Key, OrderOp, Value } from '../objects/object.ts';
import { utf8 } from '../text/encodings.ts';
import { bytesOfHex } from '../text/hex.ts';

const uuidClass = new PyClass('UUID', [types.object], { module: 'uuid' });
const BITS = 128n;

/** `uuid.UUID`: a number of 128 bits. */
class UUID extends PyObject {
  readonly int: bigint;

  constructor(int: bigint) {
    super();
    this.int = int;
  }
  get cls(): PyClass {
    return uuidClass;
  }
  get hex(): string {
    return this.int.toString(16).padStart(32, '0');
  }
  override repr(): string {
    return `UUID('${this.str()}')`;
  }
  override str(): string {
    return this.hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.*)$/, '$1-$2-$3-$4-$5');
  }
  override key(): Key {
    return `${COMPOUND}u${this.hex}`;
  }
  override equals(other: Value): Value | undefined {
    return other instanceof UUID ? this.int === other.int : undefined;
  }
  override order(op: OrderOp, other: Value): Value | undefined {
    return other instanceof UUID ? orderOf(op, this.hex, other.hex) : undefined;
  }
  override index(): undefined {
    return undefined;
  }
  override setAttribute(): void {
    raise('TypeError', 'UUID objects are immutable');
  }
  get version(): number | null {
    return (this.int >> 62n) % 4n === 2n ? Number((this.int >> 76n) % 16n) : null;
  }
  get variant(): string {
    const bits = Number((this.int >> 61n) % 8n);
    if (bits < 4) return 'reserved for NCS compatibility';
    if (bits < 6) return 'specified in RFC 4122';
    return bits === 6 ? 'reserved for Microsoft compatibility' : 'reserved for future definition';
  }
}
defineMethods(uuidClass, UUID, { '__int__()': (self) => integer(self.int) });
defineGetters(uuidClass, UUID, {
  hex: (self) => self.hex,
  int: (self) => integer(self.int),
  bytes: (self) =>
    new PyBytes(Uint8Array.from(self.hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))),
  urn: (self) => `urn:uuid:${self.str()}`,
  version: (self) => self.version,
  variant: (self) => self.variant,
  time_low: part(96n, 32n),
  time_mid: part(80n, 16n),
  time_hi_version: part(64n, 16n),
  node: part(0n, 48n),
});

const constructor = nativeFunction(
  'UUID(hex=, bytes=, bytes_le=, fields=, int=, version=)',
  (hex, bytes, littleEndian, fields, int, version) =>
    littleEndian !== undefined || fields !== undefined
      ? raise('NotImplementedError', 'UUID() with bytes_le or fields is not supported')
      : made(hex, bytes, int, version),
);
uuidClass.create = (_cls, args, kwargs) => constructor.call(args, kwargs);

/** The module `uuid`. */
export const uuid = moduleOf('uuid', () => ({
  UUID: uuidClass,
  uuid4: nativeFunction('uuid4()', () => new UUID(versioned(randomBits(), 4n))),
  uuid3: nativeFunction('uuid3(namespace, name)', (space: Value, name: Value) =>
    named(space, name, md5, 3n),
  ),
  uuid5: nativeFunction('uuid5(namespace, name)', (space: Value, name: Value) =>
    named(space, name, sha1, 5n),
  ),
  NAMESPACE_DNS: namespace(0),
  NAMESPACE_URL: namespace(1),
  NAMESPACE_OID: namespace(2),
  NAMESPACE_X500: namespace(4),
}));

function part(shift: bigint, bits: bigint) {
  return (self: UUID): Value => integer(BigInt.asUintN(Number(bits), self.int >> shift));
}

function made(
  hex: Value | undefined,
  bytes: Value | undefined,
  int: Value | undefined,
  version: Value | undefined,
): UUID {
  const given = [hex, bytes, int].filter((v) => v !== undefined && v !== null);
  if (given.length !== 1)
    raise('TypeError', 'one of the hex, bytes, bytes_le, fields, or int arguments must be given');
  const number = numberOf(hex ?? null, bytes ?? null, int ?? null);
  if (version === undefined || version === null) return new UUID(number);
  const n = asInt(version);
  if (n === undefined || n < 1 || n > 5) return raise('ValueError', 'illegal version number');
  return new UUID(versioned(number, BigInt(n)));
}

function numberOf(hex: Value, bytes: Value, int: Value): bigint {
  if (hex !== null) {
    const text =
      asText(hex) ??
      raise('AttributeError', `'${typeName(hex)}' object has no attribute 'replace'`);
    const digits = text
      .replace('urn:', '')
      .replace('uuid:', '')
      .replace(/^[{}]+|[{}]+$/g, '')
      .replaceAll('-', '');
    if (digits.length !== 32) raise('ValueError', 'badly formed hexadecimal UUID string');
    return /^[0-9a-f]+$/i.test(digits)
      ? BigInt(`0x${digits}`)
      : raise('ValueError', `invalid literal for int() with base 16: '${digits}'`);
  }
  if (bytes !== null) {
    const { data } = bytesOf(bytes);
    return data.length === 16
      ? data.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
      : raise('ValueError', 'bytes is not a 16-char string');
  }
  const n = asInt(int);
  if (n === undefined)
    return raise(
      'TypeError',
      `'<=' not supported between instances of 'int' and '${typeName(int)}'`,
    );
  return n >= 0 && BigInt(n) < 1n << BITS
    ? BigInt(n)
    : raise('ValueError', 'int is out of range (need a 128-bit value)');
}

/** A number with the bits of a version and of RFC 4122. */
function versioned(int: bigint, version: bigint): bigint {
  return (int & ~(0xc000n << 48n) & ~(0xf000n << 64n)) | (0x8000n << 48n) | (version << 76n);
}

/** 128 random bits of the evaluation. */
function randomBits(): bigint {
  const random =
    frame.random ?? ((): number => raise('OSError', 'there is no source of randomness here'));
  let bits = 0n;
  for (let i = 0; i < 4; i += 1)
    bits = (bits << 32n) | BigInt(Math.floor(random() * 4_294_967_296));
  return bits;
}

function namespace(digit: number): UUID {
  return new UUID(BigInt(`0x6ba7b81${digit}9dad11d180b400c04fd430c8`));
}

/** A UUID of a name: the first 128 bits of a hash. @throws TypeError */
function named(
  space: Value,
  name: Value,
  hash: (data: Uint8Array) => Uint8Array,
  version: bigint,
): Value {
  if (!isUUID(space))
    return raise('AttributeError', `'${typeName(space)}' object has no attribute 'bytes'`);
  const text = asText(name) ?? raise('TypeError', `encoding without a string argument`);
  tick(text.length >> 2);
  const data = Uint8Array.from([...bytesOfHex(space.hex), ...utf8(text)]);
  return new UUID(
    versioned(
      hash(data)
        .subarray(0, 16)
        .reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n),
      version,
    ),
  );
}

function isUUID(v: Value): v is UUID {
  return v instanceof UUID;
}
