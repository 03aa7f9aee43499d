import { CLONE, SYSTEM_CALLS } from './system-calls.ts';
import type { Processor } from './system-calls.ts';

/** One instruction of a filter: `struct sock_filter` of linux/filter.h. */
type Instruction = {
  readonly code: number;
  readonly isTrue: number;
  readonly isFalse: number;
  readonly value: number;
};

// linux/bpf_common.h, linux/seccomp.h, linux/audit.h, linux/sched.h
const LOAD = 0x20;
const IS_EQUAL = 0x15;
const IS_AT_LEAST = 0x35;
const HAS_BITS = 0x45;
const ANSWER = 0x06;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const EPERM = 0x00050000 + 1;
const ENOSYS = 0x00050000 + 38;
const PROCESSOR = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** Where `struct seccomp_data` has the call's number, the processor and the first argument. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];
/** Calls of the x32 interface, which count from here on. */
const X32 = 0x40000000;
/** `CLONE_THREAD`, and every `CLONE_NEW…` flag that `clone` takes. */
const THREAD = 0x00010000;
const NEW_NAMESPACES = 0x7e020000;

/**
 * The filter of the child's calls of the kernel, for `bwrap --seccomp`: a classic BPF program. Calls
 * of another processor's interface end the process.
 */
export function callFilter(processor: Processor): Uint8Array {
  const column = processor === 'x64' ? 0 : 1;
  const numbers = Object.values(SYSTEM_CALLS).flatMap((both) => both[column] ?? []);
  // A jump skips at most 255 instructions.
  if (numbers.length > 250) throw new Error(`${numbers.length} calls are too many for a filter`);
  const allowed = numbers.map((number, index) =>
    // To the `ALLOW` behind the rest of the list and its ENOSYS.
    jump(IS_EQUAL, number, numbers.length - index, 0),
  );
  return bytes([
    load(ARCHITECTURE),
    jump(IS_EQUAL, PROCESSOR[processor], 1, 0),
    answer(KILL_PROCESS),
    load(NUMBER),
    jump(IS_AT_LEAST, X32, 0, 1),
    answer(KILL_PROCESS),
    jump(IS_EQUAL, CLONE[processor], 0, 5),
    load(FIRST_ARGUMENT),
    jump(HAS_BITS, NEW_NAMESPACES, 1, 0),
    jump(HAS_BITS, THREAD, 1, 0),
    answer(EPERM),
    answer(ALLOW),
    ...allowed,
    answer(ENOSYS),
    answer(ALLOW),
  ]);
}

function load(offset: number): Instruction {
  return { code: LOAD, isTrue: 0, isFalse: 0, value: offset };
}

/** Skips `isTrue` or `isFalse` instructions. */
function jump(code: number, value: number, isTrue: number, isFalse: number): Instruction {
  return { code, isTrue, isFalse, value };
}

function answer(value: number): Instruction {
  return { code: ANSWER, isTrue: 0, isFalse: 0, value };
}

/** In the byte order of both processors. */
function bytes(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * program.length));
  for (const [index, { code, isTrue, isFalse, value }] of program.entries()) {
    view.setUint16(8 * index, code, true);
    view.setUint8(8 * index + 2, isTrue);
    view.setUint8(8 * index + 3, isFalse);
    view.setUint32(8 * index + 4, value, true);
  }
  return new Uint8Array(view.buffer);
}
