import { YamlError } from '../../../yaml/error.ts';
import { FOLD, withFolds } from './folded.ts';
import type { Comments } from './document.ts';
import type {
  Loaded,
  LoadedEntry,
  LoadedItem,
  LoadedMap,
  LoadedMerge,
  LoadedScalar,
  LoadedSeq,
  Own,
} from './loaded.ts';
import type { Read, ReadMap, ReadScalar, ReadSeq } from './read.ts';

/**
 * The document of nodes that were read, with each comment at its place. A list takes the comments
 * of its items; a mapping leaves them with its values, so that an alias has them too. Throws
 * YamlError for a merge key with anything but mappings.
 */
export function loadedOf(root: Read): Loaded {
  return new Hanging().node(root);
}

class Hanging {
  readonly #known = new Map<Read, Loaded>();

  node(read: Read): Loaded {
    const known = this.#known.get(read);
    if (known !== undefined) return known;
    const loaded = this.#made(read);
    this.#known.set(read, loaded);
    return loaded;
  }

  #made(read: Read): Loaded {
    switch (read.kind) {
      case 'scalar':
        return scalarOf(read);
      case 'seq':
        return this.#seq(read);
      case 'map':
        return this.#map(read);
      default:
        return read satisfies never;
    }
  }

  #seq(read: ReadSeq): LoadedSeq {
    const { kind, flow, anchor, tag } = read;
    // A list with a tag keeps no comments inside.
    if (tag !== undefined)
      return {
        kind,
        flow,
        anchor,
        tag,
        items: read.items.map((item) => ({ node: this.node(item) })),
      };
    const own = ownOf(read);
    const items = read.items.map((item): LoadedItem => {
      const comments = placed(item);
      item.comments = undefined;
      return { comments, node: this.node(item) };
    });
    return { kind, flow, anchor, tag, own, items };
  }

  #map(read: ReadMap): LoadedMap {
    // The merge comes first: a list there takes the comments of its items.
    const merge = this.#merge(read);
    const own = ownOf(read);
    const entries = read.entries
      .filter(([key]) => !isMerge(key))
      .map(([keyRead, valueRead]): LoadedEntry => {
        const key = this.#key(keyRead);
        const node = this.node(valueRead);
        const [before, behind] = [placed(keyRead), placed(valueRead)];
        const comments =
          before === undefined && behind === undefined
            ? undefined
            : { key: before ?? {}, value: behind ?? {} };
        return { key, node, comments };
      });
    const { kind, flow, anchor, tag } = read;
    return { kind, flow, anchor, tag, own, entries, merge };
  }

  #key(read: ReadScalar): LoadedScalar {
    const key = this.node(read);
    return key.kind === 'scalar' ? key : scalarOf(read);
  }

  #merge({ entries }: ReadMap): LoadedMerge | undefined {
    const at = entries.findIndex(([key]) => isMerge(key));
    const value = entries[at]?.[1];
    if (value === undefined) return undefined;
    const source = this.node(value);
    const sources = source.kind === 'seq' ? source.items.map(({ node }) => node) : [source];
    if (sources.some(({ kind }) => kind !== 'map'))
      throw new YamlError("'<<' merges mappings", 1, 1);
    return sources.length > 0 ? { at, source } : undefined;
  }
}

function isMerge({ text, isPlain }: ReadScalar): boolean {
  return text === '<<' && isPlain;
}

/** A block of text keeps the comment in its first line, unless it has folds. */
function scalarOf({ comments, ...scalar }: ReadScalar): LoadedScalar {
  const { style, text, lines = [] } = scalar;
  const keepsComment =
    style === 'literal' || (style === 'folded' && !withFolds(text, lines).includes(FOLD));
  const first = keepsComment ? comments?.pre?.[0] : undefined;
  return first === undefined ? scalar : { ...scalar, own: { before: [first] } };
}

function placed({ comments }: Read): Comments | undefined {
  return comments === undefined ? undefined : { after: comments.post, before: comments.pre };
}

function ownOf({ comments }: ReadSeq | ReadMap): Own | undefined {
  if (comments === undefined) return undefined;
  return {
    after: comments.post,
    before: comments.pre,
    end: 'end' in comments ? comments.end : undefined,
  };
}
