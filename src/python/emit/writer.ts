import { PySyntaxError } from '../syntax/error.ts';
import type { TokenPosition } from '../syntax/token.ts';
import type { Bindings } from './bindings.ts';
import type { Runtime } from './runtime.ts';

/** One Python scope; it becomes one JavaScript function. */
type WriterScope = {
  readonly kind: 'module' | 'function' | 'class' | 'comprehension';
  readonly id: number;
  readonly parent: WriterScope | undefined;
  readonly bound: ReadonlySet<string>;
  readonly globals: ReadonlySet<string>;
  readonly nonlocals: ReadonlySet<string>;
  /**
   * Names that always have a value when read: parameters, and the targets of a simple
   * comprehension.
   */
  readonly certain: ReadonlySet<string>;
  /** Further JavaScript variables that the function declares. */
  readonly temporaries: string[];
  readonly qualifiedName: string;
  /** The variable with the pairs of names and annotations of a class body, once there is one. */
  annotations: string | undefined;
  /** JavaScript name of the first parameter and of the class cell, for `super()`. */
  self: string | undefined;
  readonly cell: string | undefined;
  /** The class whose body contains the scope, for private names. */
  readonly className: string | undefined;
};

/** A scope to open; the function itself declares `parameters`. */
type NewScope = Partial<
  Pick<WriterScope, 'certain' | 'self' | 'cell' | 'className' | 'globals' | 'nonlocals'>
> &
  Pick<WriterScope, 'kind' | 'bound' | 'qualifiedName'> & {
    readonly parameters?: ReadonlySet<string>;
  };

/**
 * A JSON string literal, safe inside any JavaScript. Text of a snippet enters emitted code only
 * through it.
 */
export function emitLiteral(text: string): string {
  return JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/**
 * A JavaScript variable for a Python name: a prefix, then ASCII letters unchanged and everything
 * else in hex.
 */
export function variable(prefix: string, name: string): string {
  return `${prefix}_${name.replace(/[^A-Za-z0-9_]/gu, (c) => `$${(c.codePointAt(0) ?? 0).toString(16)}$`)}`;
}

/** A module that a snippet imports, and where: line and column count from 1. */
export type Import = { readonly module: string; readonly line: number; readonly column: number };

/**
 * Collects what the program needs while the emitter goes through the tree: scopes, names,
 * constants, run-time functions.
 */
export class Writer {
  scope: WriterScope;
  /** Names that the snippet reads from the module scope before it binds them. */
  readonly free = new Set<string>();
  /** All module-level names, read or bound. */
  readonly moduleNames = new Set<string>();
  readonly imports: Import[] = [];
  readonly constants = new Map<string, string>();
  readonly used = new Set<keyof Runtime>();
  /** JavaScript names of the exceptions being handled, innermost last. */
  handling: string[] = [];
  /**
   * Labels of the enclosing loops, innermost last; a `break` sets `broke` when the loop has an
   * `else`.
   */
  loops: { readonly label: string; readonly broke: string | undefined }[] = [];
  readonly #written = new Set<string>();
  #last = 0;

  constructor(bindings: Bindings) {
    this.scope = this.#make(
      { kind: 'module', qualifiedName: '', bound: bindings.bound },
      undefined,
    );
  }

  #make(scope: NewScope, parent: WriterScope | undefined): WriterScope {
    const none: ReadonlySet<string> = new Set();
    this.#last += 1;
    return {
      globals: none,
      nonlocals: none,
      certain: none,
      annotations: undefined,
      self: undefined,
      cell: parent?.cell,
      className: parent?.className,
      ...scope,
      id: this.#last,
      parent,
      temporaries: [],
    };
  }

  /**
   * Emits inside a new scope; returns the code and the variables that its function must declare.
   */
  inside(scope: NewScope, emit: () => string): { code: string; declared: string } {
    const outer = { scope: this.scope, handling: this.handling, loops: this.loops };
    this.scope = this.#make(scope, outer.scope);
    this.handling = [];
    this.loops = [];
    const inner = this.scope;
    const code = emit();
    Object.assign(this, outer);
    const parameters: ReadonlySet<string> = scope.parameters ?? new Set();
    const own = [...inner.bound].filter(
      (name) => !inner.globals.has(name) && !inner.nonlocals.has(name) && !parameters.has(name),
    );
    const variables = [...own.map((name) => variable(`v${inner.id}`, name)), ...inner.temporaries];
    return { code, declared: variables.length === 0 ? '' : `let ${variables.join(',')};` };
  }

  /** A run-time function by name. */
  use(name: keyof Runtime): string {
    this.used.add(name);
    return name;
  }
  /** A variable of the current function that only emitted code sees. */
  temporary(): string {
    const name = this.fresh('t');
    this.scope.temporaries.push(name);
    return name;
  }
  /** The variable that collects the annotations of a class body. */
  annotations(): string {
    this.scope.annotations ??= this.temporary();
    return this.scope.annotations;
  }
  fresh(prefix: string): string {
    this.#last += 1;
    return `${prefix}${this.#last}`;
  }
  /** A value that the program makes once. */
  constant(code: string): string {
    const known = this.constants.get(code);
    if (known !== undefined) return known;
    const name = this.fresh('k');
    this.constants.set(code, name);
    return name;
  }

  /** The scope a name belongs to. */
  owner(name: string): WriterScope {
    let scope: WriterScope = this.scope;
    const isDeclaredGlobal = scope.globals.has(name);
    let first = true;
    while (scope.parent !== undefined) {
      const skipped =
        isDeclaredGlobal ||
        scope.nonlocals.has(name) ||
        scope.globals.has(name) ||
        (scope.kind === 'class' && !first);
      if (!skipped && scope.bound.has(name)) return scope;
      if (scope.globals.has(name)) break;
      scope = scope.parent;
      first = false;
    }
    while (scope.parent !== undefined) scope = scope.parent;
    return scope;
  }

  /**
   * The JavaScript variable to assign a Python name to. A walrus in a comprehension binds in the
   * enclosing function.
   */
  target(name: string): string {
    const scope = this.owner(name);
    if (scope.kind === 'module') {
      this.moduleNames.add(name);
      this.#written.add(name);
    }
    return variable(`v${scope.id}`, name);
  }

  /** Code that reads a Python name, or raises NameError. */
  read(name: string): string {
    const scope = this.owner(name);
    const js = variable(`v${scope.id}`, name);
    if (scope.certain.has(name)) return js;
    if (scope.kind === 'module') {
      this.moduleNames.add(name);
      if (!this.#written.has(name)) this.free.add(name);
      return `(${js}===undefined?${this.use('noGlobal')}(${emitLiteral(name)}):${js})`;
    }
    const fallback =
      scope.kind === 'class'
        ? this.#readAround(scope, name)
        : `${this.use(scope === this.scope ? 'noLocal' : 'noFree')}(${emitLiteral(name)})`;
    return `(${js}===undefined?${fallback}:${js})`;
  }

  /** In a class body, a name without a value is looked up outside the class. */
  #readAround(scope: WriterScope, name: string): string {
    const inner = this.scope;
    if (scope.parent !== undefined) this.scope = scope.parent;
    const code = this.read(name);
    this.scope = inner;
    return code;
  }

  /** A private name (`__x` inside a class) as Python stores it. */
  mangled(name: string): string {
    const owner = this.scope.className?.replace(/^_+/, '') ?? '';
    return owner !== '' && name.startsWith('__') && !name.endsWith('__')
      ? `_${owner}${name}`
      : name;
  }

  /**
   * Marks the scope as the body of a method (its first parameter is given) or of another function.
   */
  enterFunction(self: string | undefined): void {
    this.scope.self = self ?? this.scope.parent?.self;
  }

  fail(message: string, at: TokenPosition): never {
    throw new PySyntaxError(message, at.line, at.column);
  }

  /** The qualified name of a definition in this scope. */
  qualified(name: string): string {
    const { kind, qualifiedName } = this.scope;
    if (qualifiedName === '') return name;
    return kind === 'class' ? `${qualifiedName}.${name}` : `${qualifiedName}.<locals>.${name}`;
  }

  /** Checks the declarations of a function scope. @throws PySyntaxError */
  checkNonlocals(names: Iterable<string>, at: TokenPosition): void {
    for (const name of names) {
      if (this.owner(name).kind === 'module')
        this.fail(`no binding for nonlocal '${name}' found`, at);
    }
  }
}
