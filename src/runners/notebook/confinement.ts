import { registerHooks } from 'node:module';
import { createContext, runInContext } from 'node:vm';

/**
 * Node's own confinement for the process of a notebook:
 * - files: only those that the runner names (`--allow-fs-…`); no child processes, threads or addons
 * - no SQLite, which opens files without asking the permission model
 * - no code from strings in its realm: whoever gets hold of a JavaScript function there cannot make
 *   another one
 */
export const CONFINEMENT_FLAGS = [
  '--permission',
  '--no-experimental-sqlite',
  '--disallow-code-generation-from-strings',
] as const;

/** What the worker and Pyodide use beside the language itself; none of it does I/O. */
const KEPT = [
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'clearImmediate',
  'queueMicrotask',
  'performance',
  'TextEncoder',
  'TextDecoder',
  'crypto',
  'URL',
  'Buffer',
  'AbortController',
  'AbortSignal',
  'structuredClone',
];

/** Properties of `process` that lead to modules, to other processes or out of this one. */
const CLOSED = [
  'getBuiltinModule',
  'binding',
  '_linkedBinding',
  'dlopen',
  'mainModule',
  'kill',
  '_kill',
  '_debugProcess',
  'chdir',
  'execve',
  'report',
  'loadEnvFile',
  'openStdin',
  'stdin',
  'stdout',
  'stderr',
  'argv',
  'abort',
];

/** Node's own console holds the streams of the process, whose class opens sockets. */
const MUTE = {
  log: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  debug: ignore,
  trace: ignore,
};

/**
 * Removes from the running process what hostile Python could reach through JavaScript: modules,
 * Node's globals, and the ways from `process` to them. Modules that hold earlier imports keep
 * working.
 *
 * @returns the only way to end the process from now on
 */
export function confine(): (code: number) => never {
  const node = process;
  const exit = node.exit.bind(node);
  registerHooks({ resolve: refuse, load: refuse });
  for (const name of Object.keys(node.env)) delete node.env[name];
  for (const name of CLOSED)
    Object.defineProperty(node, name, { value: undefined, configurable: false, writable: false });
  const kept = new Set<string | symbol>([...languageGlobals(), ...KEPT]);
  for (const name of Reflect.ownKeys(globalThis))
    if (!kept.has(name)) Reflect.deleteProperty(globalThis, name);
  Object.defineProperty(globalThis, 'console', { value: MUTE });
  return exit;
}

function refuse(specifier: string): never {
  throw new Error(`there is no module ${specifier} here`);
}

function languageGlobals(): readonly string[] {
  const names: unknown = runInContext('Object.getOwnPropertyNames(globalThis)', createContext());
  return Array.isArray(names) ? names : [];
}

function ignore(): void {
  return undefined;
}
