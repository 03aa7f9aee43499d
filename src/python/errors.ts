import { meter } from './meter.ts';
import type { PyObject, Value } from './objects/object.ts';

/** Makes the exception object of a class name and its arguments; objects/exceptions.ts sets it. */
type Materialise = (className: string, args: readonly Value[], line: number) => PyObject;

const unset: Materialise = (className) => {
  throw new Error(`no exception classes are loaded, cannot make ${className}`);
};
const factory = { materialise: unset };

/** Registers how exception objects are made, so that raising one needs no import of the classes. */
export function onMaterialise(materialise: Materialise): void {
  factory.materialise = materialise;
}

/**
 * A Python exception on its way up. The exception object is made only when it is read: the run-time
 * itself raises and catches most of them (a failed `hasattr`, the end of an iteration).
 */
export class PyError extends Error {
  readonly className: string;
  readonly args: readonly Value[];
  /** Line of the snippet that raised it. */
  readonly line: number;
  #value: PyObject | undefined;

  constructor(className: string, args: readonly Value[], text: string, value?: PyObject) {
    super(text);
    this.name = className;
    this.line = meter.line;
    this.className = className;
    this.args = args;
    this.#value = value;
  }

  get value(): PyObject {
    this.#value ??= factory.materialise(this.className, this.args, this.line);
    return this.#value;
  }
}

/** The built-in exception classes that the run-time itself raises. */
export type ExceptionName =
  | 'ArithmeticError'
  | 'AssertionError'
  | 'AttributeError'
  | 'ImportError'
  | 'IndexError'
  | 'KeyError'
  | 'ModuleNotFoundError'
  | 'MemoryError'
  | 'NameError'
  | 'NotImplementedError'
  | 'OSError'
  | 'FileNotFoundError'
  | 'OverflowError'
  | 'PermissionError'
  | 'RecursionError'
  | 'RuntimeError'
  | 'StopIteration'
  | 'SystemError'
  | 'TypeError'
  | 'UnboundLocalError'
  | 'ValueError'
  | 'ZeroDivisionError'
  | 'ConnectionError'
  | 'TimeoutError'
  | 'UnicodeDecodeError'
  | 'UnicodeEncodeError';

/** Raises a built-in Python exception with one text argument. */
export function raise(className: ExceptionName, text: string): never {
  throw new PyError(className, [text], text);
}
