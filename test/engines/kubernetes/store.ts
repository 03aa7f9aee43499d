import { randomUUID } from 'node:crypto';
import { isRecord } from '../../../src/words/record.ts';

type Fields = { readonly [key: string]: unknown };

/** An object in the tests' API server. */
export type Stored = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly spec: Fields;
  readonly status: Fields;
  readonly rest: Fields;
};
export type Meta = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
};

export type Change = {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly plural: string;
  readonly object: Stored;
};

export function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** The API server's times have whole seconds. */
export function timestamp(at = Date.now()): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** `key=value` or `key`, joined by commas. */
export function selects(selector: string, labels: Readonly<Record<string, string>>): boolean {
  return selector
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [key = '', value] = term.split('=');
      return value === undefined ? key in labels : labels[key] === value;
    });
}

/** The API server's objects, with a history for watches. */
export class Store {
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #history: Change[] = [];
  /** Does an object stay until its content has ended? The finalizer then removes it again. */
  finalize: (plural: string, name: string) => boolean = () => false;
  /** keys of specs that this version of the server does not know, and leaves out */
  readonly unknown = new Set<string>();
  #version = 1000;
  /** the oldest version that can be watched */
  #oldest = 0;

  get version(): number {
    return this.#version;
  }

  /** Forgets the history until now, as a server does after some minutes. */
  compact(): void {
    this.#history.length = 0;
    // A new version: all known ones are too old.
    this.#version += 1;
    this.#oldest = this.#version;
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The changes after a version; undefined if they are forgotten. */
  since(version: number): readonly Change[] | undefined {
    return version < this.#oldest
      ? undefined
      : this.#history.filter((change) => change.version > version);
  }

  get(plural: string, name: string): Stored | undefined {
    return this.#objects.get(`${plural}/${name}`);
  }

  list(plural: string, selector = ''): readonly Stored[] {
    return [...this.#objects].flatMap(([key, object]) =>
      key.startsWith(`${plural}/`) && selects(selector, object.metadata.labels) ? [object] : [],
    );
  }

  create(plural: string, { apiVersion, kind, metadata, ...rest }: Fields): Stored {
    const meta = fieldsOf(metadata);
    const labels = Object.fromEntries(
      Object.entries(fieldsOf(meta['labels'])).map(([key, value]) => [key, textOf(value)]),
    );
    const { spec, status, ...more } = rest;
    return this.#put('ADDED', plural, {
      apiVersion: textOf(apiVersion),
      kind: textOf(kind),
      metadata: {
        ...meta,
        name: textOf(meta['name']),
        labels,
        uid: randomUUID(),
        creationTimestamp: timestamp(),
      },
      spec: Object.fromEntries(
        Object.entries(fieldsOf(spec)).filter(([key]) => !this.unknown.has(key)),
      ),
      status: fieldsOf(status),
      rest: more,
    });
  }

  update(
    plural: string,
    name: string,
    change: Partial<Pick<Stored, 'spec' | 'status' | 'metadata'>>,
  ): void {
    const object = this.get(plural, name);
    if (object !== undefined) this.#put('MODIFIED', plural, { ...object, ...change });
  }

  remove(plural: string, name: string): void {
    const object = this.get(plural, name);
    if (object === undefined) return;
    if (this.finalize(plural, name)) {
      this.update(plural, name, {
        metadata: { ...object.metadata, deletionTimestamp: timestamp() },
      });
      return;
    }
    this.#objects.delete(`${plural}/${name}`);
    this.#tell('DELETED', plural, object);
  }

  #put(type: 'ADDED' | 'MODIFIED', plural: string, object: Stored): Stored {
    const kept = this.#tell(type, plural, object);
    this.#objects.set(`${plural}/${kept.metadata.name}`, kept);
    return kept;
  }

  #tell(type: Change['type'], plural: string, object: Stored): Stored {
    this.#version += 1;
    const kept = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(this.#version) },
    };
    const change = { version: this.#version, type, plural, object: kept };
    this.#history.push(change);
    // Controllers act after the answer, as in a cluster.
    for (const listener of this.#listeners) setImmediate(listener, change);
    return kept;
  }
}

/** An object as clients get it. */
export function wire({ apiVersion, kind, metadata, spec, status, rest }: Stored): object {
  return {
    apiVersion,
    kind,
    metadata,
    ...rest,
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    status,
  };
}
