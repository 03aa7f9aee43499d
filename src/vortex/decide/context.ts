import { PyError, PyObject, PySyntaxError, str, truthy } from '../../python/index.ts';
import type { PyDict, PyList, Scope, Value } from '../../python/index.ts';
import type { Entity } from '../entity/entity.ts';
import type { Snippet, SnippetKind } from '../file/snippets.ts';
import type { Session } from './session.ts';
import type { Filled } from './template.ts';
import { copyValue, isCopied } from '../values.ts';
import { Visible } from './visible.ts';

/** A table of names. */
type Names = Scope & { set(name: string, value: Value): unknown };

/** The names of another table, some with values of their own. */
class ForkedNames implements Names {
  readonly #below: Names;
  readonly #own = new Map<string, Value>();

  constructor(below: Names) {
    this.#below = below;
  }

  get(name: string): Value | undefined {
    const own = this.#own.get(name);
    return own === undefined ? this.#below.get(name) : own;
  }

  set(name: string, value: Value): void {
    this.#own.set(name, value);
  }

  [Symbol.iterator](): Iterator<readonly [string, Value]> {
    return new Map([...this.#below, ...this.#own])[Symbol.iterator]();
  }
}

/**
 * The evaluation context of TPV: one table of names for the whole mapping. Later snippets see what
 * a snippet writes. `fork` makes a table for one candidate, whose changes do not reach the next.
 */
export class Context {
  readonly session: Session;
  readonly #scope: Names;
  /** The names of lists, dicts and the like, which forks copy; null when a name has changed. */
  #copied: readonly string[] | null = null;
  #entity: Visible;
  #self: Visible;
  /** Whether the table of names lacks the current one. */
  #isEntityDue = true;
  #isSelfDue = true;
  readonly #due = new Map<string, Filled>();

  constructor(session: Session, scope: Names, entity: Visible) {
    this.session = session;
    this.#scope = scope;
    this.#entity = entity;
    this.#self = entity;
  }

  /** The entity that rules see as `entity`. */
  get entity(): Visible {
    return this.#entity;
  }

  set entity(entity: Visible) {
    this.#entity = entity;
    this.#isEntityDue = true;
  }

  /** The entity that rules see as `self`: the one before its rules. */
  set self(entity: Visible) {
    this.#self = entity;
    this.#isSelfDue = true;
  }

  get(name: string): Value | undefined {
    return this.#due.get(name)?.value() ?? this.#scope.get(name);
  }

  set(name: string, value: Value): void {
    this.#copied = null;
    this.#scope.set(name, value);
  }

  /** Evaluate the texts of a list or dict, which rules then see under its name. */
  fill(name: 'env' | 'params' | 'resubmit', texts: PyDict | PyList): Filled {
    const { snippets, repeater } = this.session;
    const template = snippets.template(texts);
    const fill = (): readonly string[] => template.sources.map((source) => this.#text(source));
    const { repeated } = template;
    // Steady texts mention no names that are filled on demand, but perhaps `input_size`.
    if (repeated?.hasInputSize === true) this.set('input_size', this.session.inputSize());
    const filled = template.fill(
      repeated === null ? fill() : repeater.run(snippets.filled, repeated, this.#scope, fill),
    );
    this.#due.set(name, filled);
    return filled;
  }

  /**
   * Add an entity's context variables. From then on rules may change the lists and dicts among
   * them.
   */
  update(source: Visible): void {
    const { context } = source.now;
    if (context === null || context.table.size === 0) return;
    const hasObjects = [...context.table.values()].some(({ value }) => value instanceof PyObject);
    if (hasObjects) source.show().hold('context');
    for (const { key, value } of source.now.context?.table.values() ?? []) {
      const name = str(key);
      if (name === 'entity') this.#isEntityDue = false;
      if (name === 'self') this.#isSelfDue = false;
      this.#due.delete(name);
      this.set(name, value);
    }
  }

  /**
   * This context with another entity; changes to it do not come back. It sees the names of this one,
   * whose values stay the same while it is used.
   */
  fork(entity: Entity): Context {
    const scope = new ForkedNames(this.#scope);
    this.#copied ??= [...this.#scope].flatMap(([name, value]) => (isCopied(value) ? [name] : []));
    for (const name of this.#copied) scope.set(name, copyValue(this.#scope.get(name) ?? null));
    const fork = new Context(this.session, scope, new Visible(entity));
    if (this.#self !== this.#entity) fork.self = this.#self;
    return fork;
  }

  /**
   * The value of a resource or condition: a number is its own value, text is Python. Throws
   * Python's exceptions.
   */
  code(source: Value): Value {
    if (typeof source === 'boolean' || (typeof source === 'number' && Number.isFinite(source)))
      return source;
    return this.#run('code', str(source));
  }

  /** Tells what comes next with the place of a resource whose value is of no use. */
  blame(source: Value): void {
    const { session } = this;
    session.place = typeof source === 'string' ? session.snippets.place('code', source, 1) : null;
  }

  condition(source: string | boolean): boolean {
    return typeof source === 'boolean' ? source : truthy(this.#run('code', source));
  }

  execute(source: string): void {
    if (!this.#setsParam(source)) this.#run('exec', source);
  }

  /**
   * Executes a snippet that only sets a text among the params of an entity that no snippet has
   * seen: the copies that a snippet gets took a sixth of a decision with the rules of usegalaxy.eu.
   */
  #setsParam(source: string): boolean {
    const { session } = this;
    const { snippets, plain } = session;
    const sets = this.#isEntityDue ? snippets.paramSet(source) : undefined;
    if (sets === undefined) return false;
    const { left } = plain.fuel;
    let text: Value;
    try {
      text = sets.value.run(this.#scope, plain);
    } catch (error) {
      if (!(error instanceof PyError)) {
        session.place = snippets.place('exec', source, 1);
        throw error;
      }
      // The snippet itself tells where it fails.
      plain.fuel.left = left;
      return false;
    }
    return typeof text === 'string' && this.#entity.setParam(sets.key, text);
  }

  /** Evaluate an f-string. */
  text(source: string): string {
    return this.session.snippets.isPlain(source) ? source : this.#text(source);
  }

  #text(source: string): string {
    return str(this.#run('fstring', source));
  }

  #run(kind: SnippetKind, source: string): Value {
    const { session } = this;
    try {
      const snippet = session.snippets.snippet(kind, source);
      this.#prepare(snippet);
      const { program } = snippet;
      // Without a loop it costs no more than to find out what it would read.
      if (program.loops && snippet.isSteady) {
        const repeated = { text: source, names: program.ownNames };
        return session.repeater.run(session.snippets.results, repeated, this.#scope, () =>
          program.run(this.#scope, session.plain),
        );
      }
      return program.run(this.#scope, snippet.hasImport ? session.importing() : session.plain);
    } catch (error) {
      const line = error instanceof PyError || error instanceof PySyntaxError ? error.line : 1;
      session.place = session.snippets.place(kind, source, line);
      throw error;
    }
  }

  /** Put the names into the table that a snippet mentions. */
  #prepare({ hasInputSize, hasHelpers, hasEntity, hasTexts }: Snippet): void {
    if (hasTexts && this.#due.size > 0) {
      for (const [name, filled] of this.#due) this.set(name, filled.value());
      this.#due.clear();
    }
    if (hasInputSize) this.set('input_size', this.session.inputSize());
    if (hasHelpers) this.set('helpers', this.session.helpers());
    if (!hasEntity) return;
    if (!hasInputSize) this.set('input_size', 0);
    if (this.#isEntityDue) this.set('entity', this.#entity.show());
    if (this.#isSelfDue) this.set('self', this.#self.show());
    this.#isEntityDue = false;
    this.#isSelfDue = false;
  }
}
