import type { ScalarText } from '../../../yaml/spelling.ts';
import type { Comment, Comments } from './document.ts';

/**
 * A document that was read to be written again. A node that has a name is the same object wherever
 * an alias stands for it. As in ruamel.yaml, comments belong to the place in a list or mapping, and
 * besides to the collection itself, which takes them along to other places.
 */
export type Loaded = LoadedScalar | LoadedSeq | LoadedMap;

type Properties = {
  /** The name that is kept with the value. */
  readonly anchor?: string | undefined;
  readonly tag?: string | undefined;
};

export type LoadedScalar = Properties &
  ScalarText & {
    /** The comment behind the `|` or `>`, or above the block. */
    readonly own?: Own | undefined;
  };

/** What a collection itself has; `end` are the comments behind its last item. */
export type Own = Comments & { readonly end?: readonly Comment[] | undefined };

export type LoadedSeq = Properties & {
  readonly kind: 'seq';
  readonly flow: boolean;
  readonly items: readonly LoadedItem[];
  readonly own?: Own | undefined;
};

export type LoadedItem = { readonly node: Loaded; readonly comments?: Comments | undefined };

export type LoadedMap = Properties & {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly entries: readonly LoadedEntry[];
  readonly merge?: LoadedMerge | undefined;
  readonly own?: Own | undefined;
};

/**
 * Without comments at its place, a key and its value are written with
 * those that they have themselves.
 */
export type LoadedEntry = {
  readonly key: LoadedScalar;
  readonly node: Loaded;
  readonly comments?: EntryComments | undefined;
};

export type EntryComments = { readonly key: Comments; readonly value: Comments };

/** `<<` with what it merges, a mapping or a list of mappings, before the entry of index `at`. */
export type LoadedMerge = { readonly at: number; readonly source: Loaded };

/** What two keys of a mapping cannot both have: the text, and whether it is read as text. */
export function idOf({ text, isPlain }: ScalarText): string {
  return isPlain ? text : `'${text}'`;
}
