import { isRecord } from '../../words/record.ts';
import { withoutFragment } from '../gather.ts';
import { baseWithin } from './address.ts';

/** A process of CWL: a workflow, or a tool. */
export type CwlProcess = Readonly<Record<string, unknown>>;

/** A process, and where it is. */
export type Found = {
  readonly process: CwlProcess;
  /** of the document that it is in; undefined: the ask */
  readonly base: string | undefined;
  /** its address, which names it in messages */
  readonly key: string;
};

/** The documents of a workflow by URL; that in the ask has the URL ''. */
export type CwlDocuments = ReadonlyMap<string, unknown>;

/**
 * The process that a document is, or that a fragment names in it.
 *
 * @param fragment without '#'; undefined: the only process, or `main`
 */
export function processIn(
  documents: CwlDocuments,
  base: string | undefined,
  fragment: string | undefined,
): Found | undefined {
  const document = documents.get(base ?? '');
  if (!isRecord(document)) return undefined;
  const { all, byName, isGraph } = processesOf(document);
  const wanted = fragment ?? (isGraph ? 'main' : undefined);
  const found = wanted === undefined ? all[0] : byName.get(decoded(wanted));
  return found && { process: found, base, key: `${base ?? ''}#${processName(found['id'])}` };
}

/** The process that a step runs: in the step itself, or elsewhere. */
export function processOf(
  documents: CwlDocuments,
  { base, key, process }: Found,
  id: string,
  run: unknown,
): Found | undefined {
  if (isRecord(run)) {
    const written = run['$import'];
    return typeof written === 'string'
      ? processOf(documents, { base, key, process: {} }, id, written)
      : { process: run, base, key: `${key}/${id}` };
  }
  if (typeof run !== 'string') return undefined;
  const [, fragment] = /#(.*)$/s.exec(run) ?? [];
  if (run.startsWith('#')) return processIn(documents, base, fragment);
  const from = baseWithin(process, base);
  const url = from === undefined ? URL.parse(run) : URL.parse(run, from);
  return url === null ? undefined : processIn(documents, withoutFragment(url.href), fragment);
}

/** The name in an id: `#main/align` and `https://…/a.cwl#main/align` are `main/align`. */
export function processName(id: unknown): string {
  if (typeof id !== 'string') return '';
  return id.slice(id.indexOf('#') + 1);
}

type Processes = {
  readonly all: readonly CwlProcess[];
  /** the first of each name */
  readonly byName: ReadonlyMap<string, CwlProcess>;
  readonly isGraph: boolean;
};

/** Each step of a packed workflow looks for its process. */
const known = new WeakMap<CwlProcess, Processes>();

function processesOf(document: CwlProcess): Processes {
  const before = known.get(document);
  if (before !== undefined) return before;
  const { $graph: graph } = document;
  const listed: readonly unknown[] = Array.isArray(graph) ? graph : [document];
  const all = listed.filter(isRecord);
  const byName = new Map(all.toReversed().map((one) => [processName(one['id']), one]));
  const found = { all, byName, isGraph: Array.isArray(graph) };
  known.set(document, found);
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
