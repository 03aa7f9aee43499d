import { hash } from 'node:crypto';
import type { HeldText } from './known.ts';

/** Texts by their URLs, the latest ones, within bounds. */
export type KeptTexts<Note> = {
  readonly find: (url: string) => KeptText<Note> | undefined;
  /** Keeps a text, unless it is too large for all; two URLs with the same text share an object. */
  readonly keep: (url: string, text: string, note: Note) => HeldText;
  /** Notes something else of a text. */
  readonly note: (url: string, note: Note) => void;
};

type KeptText<Note> = { readonly source: HeldText; readonly note: Note };

/** @param most of URLs, and of bytes of all texts */
export function keepTexts<Note>(most: {
  readonly urls: number;
  readonly bytes: number;
}): KeptTexts<Note> {
  const kept = new Map<string, KeptText<Note> & { readonly digest: string }>();
  const byDigest = new Map<string, { readonly source: HeldText; urls: number }>();
  let bytes = 0;

  const drop = (url: string): void => {
    const { digest } = kept.get(url) ?? {};
    const shared = digest === undefined ? undefined : byDigest.get(digest);
    kept.delete(url);
    if (digest === undefined || shared === undefined) return;
    shared.urls -= 1;
    if (shared.urls > 0) return;
    byDigest.delete(digest);
    bytes -= sizeOf(shared.source);
  };

  return {
    find: (url) => {
      const found = kept.get(url);
      if (found === undefined) return undefined;
      // The latest stand last.
      kept.delete(url);
      kept.set(url, found);
      return found;
    },
    keep: (url, text, note) => {
      drop(url);
      const digest = hash('sha256', text, 'base64url');
      const known = byDigest.get(digest);
      const source: HeldText = known?.source ?? { kind: 'text', text };
      if (sizeOf(source) > most.bytes) return source;
      if (known === undefined) bytes += sizeOf(source);
      byDigest.set(digest, { source, urls: (known?.urls ?? 0) + 1 });
      kept.set(url, { source, note, digest });
      for (const oldest of kept.keys()) {
        if (kept.size <= most.urls && bytes <= most.bytes) break;
        drop(oldest);
      }
      return source;
    },
    note: (url, note) => {
      const found = kept.get(url);
      if (found !== undefined) kept.set(url, { ...found, note });
    },
  };
}

/** A character of a string takes up to two bytes. */
function sizeOf({ text }: HeldText): number {
  return 2 * text.length;
}
