import { workflowFault, type Faulty, type WorkflowLanguage } from './language.ts';

/** The most documents and files that a workflow may refer to. */
export const MOST_REFERENCES = 200;

/** The most characters of all its documents together. */
const MOST_CHARACTERS = 4_000_000;

/** A workflow with all documents that it refers to, and the files. */
export type Gathered = {
  readonly ok: true;
  /** by URL without fragment */
  readonly documents: ReadonlyMap<string, string>;
  /** URLs of data, which may be missing */
  readonly files: readonly string[];
  /** URLs of documents that are not known yet; they may refer to more */
  readonly missing: readonly string[];
};

type Referring = Pick<WorkflowLanguage, 'referencesOf'>;

/**
 * All that a workflow refers to, as far as it is known: only on the host of its first document.
 *
 * @param url of the first document; undefined: it is in the ask
 * @param find the text of a URL; undefined: not known yet; null: there is none
 * @param given the names of inputs that the ask gives
 */
export function gatherKnown(
  language: Referring,
  text: string,
  url: string | undefined,
  find: (url: string) => string | null | undefined,
  given: ReadonlySet<string> = new Set(),
): Faulty | Gathered {
  const first = url === undefined ? undefined : withoutFragment(url);
  const documents = new Map<string, string>();
  const [files, missing] = [new Set<string>(), new Set<string>()];
  const open = [{ text, base: first }];
  let characters = text.length;
  for (const next of open) {
    const found = language.referencesOf(next.text, next.base, { url, given });
    if (!found.ok) return found;
    for (const { url: named, kind, otherwise } of found.references) {
      const isElsewhere =
        otherwise !== undefined && find(named) === null && find(otherwise) !== null;
      const to = isElsewhere ? otherwise : named;
      const outside = outsideOf(first, to);
      if (outside !== undefined) return outside;
      if (kind === 'file') files.add(to);
      if (kind === 'file' || to === first || documents.has(to)) continue;
      const other = find(to) ?? undefined;
      if (other === undefined) missing.add(to);
      else {
        characters += other.length;
        if (characters > MOST_CHARACTERS)
          return workflowFault(
            'workflow-invalid',
            'the documents of the workflow have together too many characters',
            to.slice(0, 200),
            `${MOST_CHARACTERS}`,
          );
        documents.set(to, other);
        open.push({ text: other, base: to });
      }
    }
    if (documents.size + files.size + missing.size > MOST_REFERENCES) return tooManyReferences();
  }
  const data = [...files].filter((url) => !documents.has(url));
  return { ok: true, documents, files: data, missing: [...missing] };
}

/**
 * The same, where what is not known is read. It throws what `read` throws.
 *
 * @param read gives an error for what is not there, which is thrown if it is nowhere else
 */
export async function gather(
  language: Referring,
  text: string,
  url: string | undefined,
  read: (url: string) => Promise<string | Error>,
  given: ReadonlySet<string> = new Set(),
): Promise<Faulty | Gathered> {
  const known = new Map<string, string | Error>();
  const find = (one: string): string | null | undefined => {
    const found = known.get(one);
    return found instanceof Error ? null : found;
  };
  for (;;) {
    const gathered = gatherKnown(language, text, url, find, given);
    if (!gathered.ok || gathered.missing.length === 0) return gathered;
    for (const one of gathered.missing) {
      const before = known.get(one);
      if (before instanceof Error) throw before;
      known.set(one, await read(one));
    }
  }
}

/** What is wrong with more than the most references. */
export function tooManyReferences(): Faulty {
  return workflowFault(
    'workflow-reference',
    'the workflow refers to too many documents and files',
    undefined,
    `${MOST_REFERENCES}`,
  );
}

/** A URL without its fragment. */
export function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash === -1 ? url : url.slice(0, hash);
}

/**
 * What is wrong with a reference to another host.
 *
 * @param first the URL of the first document; undefined: it is in the ask
 */
export function outsideOf(first: string | undefined, url: string): Faulty | undefined {
  if (first === undefined)
    return workflowFault(
      'workflow-reference',
      'a workflow in the ask refers to nothing outside of it',
      url,
    );
  const here = hostOf(first);
  if (here === undefined || here !== hostOf(url))
    return workflowFault(
      'workflow-reference',
      'a workflow refers only to what is on its own host',
      url.slice(0, 200),
      here,
    );
  return undefined;
}

function hostOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed === null ? undefined : `${parsed.protocol}//${parsed.host}`;
}
