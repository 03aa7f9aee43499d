import type { KnownSources, ReadSource } from '../sources/known.ts';
import type { Asking, Understood } from './dialect.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Reads what a URL holds for a client, within a time in milliseconds. Never throws. */
export type ReadUrl = (url: string, patience: number, client: string) => Promise<ReadSource>;

/** An ask that was read, and the vocabulary with what its URLs hold. */
type UnderstoodAsk = { readonly understood: Understood; readonly vocabulary: Vocabulary };

/** How long an answer may be late because of what URLs hold. */
const PATIENCE_MS = 2000;
/** What a URL holds may name other URLs. */
const MOST_ROUNDS = 10;
const MOST_URLS = 100;

/**
 * Understands an ask with what its URLs hold: reads it, reads the URLs for which that has looked,
 * and reads it again. After two seconds it is understood without the rest.
 */
export async function understand(
  asking: Pick<Asking, 'read'>,
  vocabulary: Vocabulary,
  readUrl: ReadUrl | undefined,
  client: string,
): Promise<UnderstoodAsk> {
  if (readUrl === undefined) return { understood: asking.read(vocabulary), vocabulary };
  const known = new Map<string, ReadSource>();
  const end = performance.now() + PATIENCE_MS;
  for (let round = 0; ; round += 1) {
    const wanted = new Set<string>();
    const sources: KnownSources = {
      find: (url) => {
        // What is never read must not look like what will be.
        if (round === MOST_ROUNDS && !known.has(url)) known.set(url, TOO_DEEP);
        if (!known.has(url)) wanted.add(url);
        return known.get(url);
      },
    };
    const understood = asking.read({ ...vocabulary, sources });
    if (wanted.size === 0)
      return { understood, vocabulary: { ...vocabulary, sources: foundIn(known) } };
    const patience = Math.max(0, end - performance.now());
    await Promise.all(
      [...wanted].map(async (url, index) => {
        const isTooMuch = known.size + index >= MOST_URLS;
        known.set(url, isTooMuch ? TOO_MUCH : await readUrl(url, patience, client));
      }),
    );
  }
}

const TOO_MUCH: ReadSource = {
  kind: 'unread',
  code: 'busy',
  why: `only ${MOST_URLS} URLs of an ask are read`,
};

const TOO_DEEP: ReadSource = {
  kind: 'unread',
  code: 'busy',
  why: `only ${MOST_ROUNDS} URLs that name each other are read`,
};

function foundIn(known: ReadonlyMap<string, ReadSource>): KnownSources {
  return { find: (url) => known.get(url) };
}
