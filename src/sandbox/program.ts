import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/** A module for the isolate: JavaScript, and the module name of each of its specifiers. */
export type GuestModule = {
  readonly name: string;
  readonly code: string;
  readonly imports: { readonly [specifier: string]: string };
};

/** The programs of a child: its own, and the modules of the isolate, the entry first. */
export type ChildProgram = { readonly main: string; readonly modules: readonly GuestModule[] };

const ROOT = new URL('../../', import.meta.url);
const ENTRY = 'src/sandbox/guest.ts';
const PACKAGES: { readonly [specifier: string]: string } = {
  'js-yaml': 'node_modules/js-yaml/dist/js-yaml.mjs',
  '@noble/hashes/blake2.js': 'node_modules/@noble/hashes/blake2.js',
  '@noble/hashes/legacy.js': 'node_modules/@noble/hashes/legacy.js',
  '@noble/hashes/sha2.js': 'node_modules/@noble/hashes/sha2.js',
};

/**
 * Every `from '...'` of a module after type stripping; dynamic imports
 * are not used in these folders.
 */
const QUOTED = String.raw`\s*['"]([^'"]+)['"];?$`;
const SPECIFIER = new RegExp(
  String.raw`^(?:import|export)[^'";]*?from${QUOTED}|^import${QUOTED}|^\}\s*from${QUOTED}`,
  'gm',
);

/**
 * Reads the program of the child and strips its types. A `--jitless` process cannot: Node strips
 * with WebAssembly. It also means that the child needs no access to the source files.
 */
export function childProgram(): ChildProgram {
  made ??= programOf(ENTRY);
  return made;
}

/** Made once: every reload of rules starts a child, and stripping blocks the planner for 50 ms. */
let made: ChildProgram | undefined;

/** The program of a child with another guest, which has `load` and `decide`. */
export function programOf(entry: string): ChildProgram {
  const modules = new Map<string, GuestModule>();
  collect(entry, modules);
  return { main: javascript('workers/vortex.ts'), modules: [...modules.values()] };
}

/** A source file without its types. `name` is its path in the project. */
export function javascript(name: string): string {
  const source = readFileSync(new URL(name, ROOT), 'utf8');
  return name.endsWith('.ts') ? stripTypeScriptTypes(source, { mode: 'strip' }) : source;
}

function collect(name: string, modules: Map<string, GuestModule>): void {
  if (modules.has(name)) return;
  const code = javascript(name);
  const specifiers = [...code.matchAll(SPECIFIER)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  );
  const imports = Object.fromEntries(
    specifiers.map((specifier) => [specifier, resolve(specifier, name)]),
  );
  modules.set(name, { name, code, imports });
  for (const imported of Object.values(imports)) collect(imported, modules);
}

function resolve(specifier: string, from: string): string {
  const known = PACKAGES[specifier];
  if (known !== undefined) return known;
  if (!specifier.startsWith('.'))
    throw new Error(`${from} imports '${specifier}', which does not exist in the sandbox`);
  return new URL(specifier, new URL(from, ROOT)).href.slice(ROOT.href.length);
}
