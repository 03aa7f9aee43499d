import type { ScalarText } from '../../../yaml/spelling.ts';
import type { Comment, Comments } from './document.ts';

/**
 * A document that was read in order to be written again. A node with an anchor is the same object
 * at every alias. As in ruamel.yaml, comments belong to a place in a list or mapping, and also to
 * the collection itself, which takes them along to other places.
 */
export type Loaded = LoadedScalar | LoadedSeq | LoadedMap;

type Properties = {
  /** The anchor of the value. */
  readonly anchor?: string | undefined;
  readonly tag?: string | undefined;
};

export type LoadedScalar = Properties &
  ScalarText & {
    /** The comment behind the `|` or `>`, or above the block. */
    readonly own?: Own | undefined;
  };

/** Comments of a collection itself; `end` are those behind its last item. */
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

/** A key and its value without comments at their place are written with their own. */
export type LoadedEntry = {
  readonly key: LoadedScalar;
  readonly node: Loaded;
  readonly comments?: EntryComments | undefined;
};

type EntryComments = { readonly key: Comments; readonly value: Comments };

/** `<<` with its mapping or list of mappings, before the entry of index `at`. */
export type LoadedMerge = { readonly at: number; readonly source: Loaded };

/** The identity of a key within a mapping: its text, and whether it is read as text. */
export function idOf({ text, isPlain }: ScalarText): string {
  return isPlain ? text : `'${text}'`;
}
