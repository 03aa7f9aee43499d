import { PyDict, PyError, PyList, PySyntaxError, str, truthy } from '../python/index.ts';
import type { Fuel, Modules, PyModule, Value } from '../python/index.ts';
import type { Entity } from './entity.ts';
import { isPlain } from './snippets.ts';
import type { SnippetKind, Snippets } from './snippets.ts';
import type { Surroundings } from './surroundings.ts';
import { copyValue } from './values.ts';

/** What all evaluations of one mapping share. */
export type Session = {
  readonly snippets: Snippets;
  readonly fuel: Fuel;
  readonly surroundings: Surroundings;
  /** Made when a snippet that mentions them is run: most mappings need neither. */
  readonly modules: () => Modules;
  readonly helpers: () => PyModule;
  /** GB of distinct inputs; given to snippets that mention it (1.6). */
  readonly inputSize: () => Value;
  /** Where the last Python error was raised: `file:line`. */
  place: string | null;
};

/**
 * The evaluation context of TPV: one table of names for the whole mapping, whose writes are visible to all later
 * snippets (1.6, 1.12). `fork` makes the table of one candidate, so that nothing leaks into the next.
 */
export class Context {
  readonly session: Session;
  readonly #scope: Map<string, Value>;
  #entity: Entity;

  constructor(session: Session, scope: Map<string, Value>, entity: Entity) {
    this.session = session;
    this.#scope = scope;
    this.#entity = entity;
    this.entity = entity;
  }

  /** What rules see as `entity`. */
  get entity(): Entity {
    return this.#entity;
  }

  set entity(entity: Entity) {
    this.#entity = entity;
    this.#scope.set('entity', entity);
  }

  get(name: string): Value | undefined {
    return this.#scope.get(name);
  }

  set(name: string, value: Value): void {
    this.#scope.set(name, value);
  }

  /** Add an entity's context variables. */
  update(variables: PyDict | null): void {
    for (const [name, value] of variables?.pairs() ?? []) this.#scope.set(str(name), value);
  }

  /** A context that starts as this one and whose changes do not come back; `entity` takes the place of the entity. */
  fork(entity: Entity): Context {
    const scope = new Map<string, Value>();
    for (const [name, value] of this.#scope) scope.set(name, copyValue(value));
    if (scope.get('self') === this.#entity) scope.set('self', entity);
    return new Context(this.session, scope, entity);
  }

  /** The value of a resource or condition: numbers stand for themselves, text is Python. Throws Python's exceptions. */
  code(source: Value): Value {
    if (typeof source === 'boolean' || (typeof source === 'number' && Number.isFinite(source))) return source;
    return this.#run('code', str(source));
  }

  condition(source: string | boolean): boolean {
    return typeof source === 'boolean' ? source : truthy(this.#run('code', source));
  }

  execute(source: string): void {
    this.#run('exec', source);
  }

  /** The text of an f-string. */
  text(source: string): string {
    return isPlain(source) ? source : str(this.#run('fstring', source));
  }

  /** A value with all strings inside evaluated as f-strings; keys and other scalars pass (1.5). */
  texts(value: Value): Value {
    if (typeof value === 'string') return this.text(value);
    if (value instanceof PyList) return new PyList(value.items.map((item) => this.texts(item)));
    if (value instanceof PyDict) return new PyDict(value.pairs().map(([key, item]) => [key, this.texts(item)]));
    return value;
  }

  #run(kind: SnippetKind, source: string): Value {
    const { snippets, fuel, surroundings, inputSize, helpers } = this.session;
    const { random, now } = surroundings;
    const modules = source.includes('import') ? this.session.modules() : NO_MODULES;
    this.#scope.set('input_size', source.includes('input_size') ? inputSize() : 0);
    if (source.includes('helpers')) this.#scope.set('helpers', helpers());
    try {
      return snippets.get(kind, source).run(this.#scope, { fuel, random, now, modules });
    } catch (error) {
      const line = error instanceof PyError || error instanceof PySyntaxError ? error.line : 1;
      this.session.place = snippets.place(kind, source, line);
      throw error;
    }
  }
}

const NO_MODULES: Modules = new Map();
