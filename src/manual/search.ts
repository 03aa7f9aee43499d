import MiniSearch from 'minisearch';
import type { RenderedPage } from './render.ts';

/** A section with the words of a search. */
export type Hit = {
  /** path of the page */
  readonly page: string;
  readonly anchor: string;
  readonly title: string;
  readonly heading: string;
  /** the text of the section around the first word */
  readonly excerpt: string;
};

/** Finds sections of pages. */
type SearchManual = (words: string) => readonly Hit[];

type Entry = Hit & { readonly id: number; readonly text: string };

const MOST_HITS = 30;
/** Longest question, characters: each word of it costs time. */
const LONGEST = 100;
const EXCERPT = 220;
/** Shorter words begin a good part of all words: fifty of them took more than a second. */
const SHORTEST_BEGINNING = 3;
const MOST_MISTAKES = 2;

/**
 * Builds the index of all sections. A word of three letters or more also finds longer words
 * that start with it, and tolerates small mistakes.
 */
export function openSearch(pages: ReadonlyMap<string, RenderedPage>): SearchManual {
  const entries: Entry[] = [];
  for (const [page, { title, sections }] of pages) {
    for (const { anchor, heading, text } of sections) {
      const id = entries.length;
      entries.push({ id, page, anchor, title, heading, text, excerpt: '' });
    }
  }
  const index = new MiniSearch<Entry>({ fields: ['title', 'heading', 'page', 'text'] });
  index.addAll(entries);
  return (words) => {
    const options = {
      prefix: (word: string) => word.length >= SHORTEST_BEGINNING,
      fuzzy: 0.15,
      maxFuzzy: MOST_MISTAKES,
      boost: { heading: 4, title: 3, page: 3 },
    };
    const said = words.slice(0, LONGEST).toLowerCase();
    const question = [...new Set(said.split(/[\s\p{P}]+/u))].join(' ');
    const all = index.search(question, { ...options, combineWith: 'AND' });
    const found = all.length > 0 ? all : index.search(question, options);
    return found.slice(0, MOST_HITS).flatMap(({ id, terms }) => {
      const entry = entries[Number(id)];
      return entry === undefined ? [] : [{ ...entry, excerpt: excerptOf(entry.text, terms) }];
    });
  };
}

/** Whole words around the first term. */
function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const near = (places.length === 0 ? 0 : Math.min(...places)) - EXCERPT / 4;
  const from = near <= 0 ? 0 : text.lastIndexOf(' ', near) + 1;
  const end = text.indexOf(' ', from + EXCERPT);
  const to = end === -1 ? text.length : end;
  const cut = text.slice(from, to).replaceAll(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${cut}${to < text.length ? ' …' : ''}`;
}
