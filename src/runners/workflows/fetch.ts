import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { shown, type WorkflowTask } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { shownFault } from '../../tasks/workflow/facts.ts';
import { givenNames, isOwnPath, placeOfFile, withFiles } from '../../tasks/workflow/inputs.ts';
import { JobFailure } from '../../words/job-failure.ts';
import { errorCode } from '../../words/system-error.ts';
import { gather, withoutFragment } from '../../workflows/gather.ts';
import type { WorkflowFault } from '../../workflows/language.ts';
import { languageOf } from '../../workflows/languages.ts';
import type { Limits } from '../port.ts';
import { fetchSource, type Fetched } from '../run/fetch-source.ts';
import { placeDirectories } from './directories.ts';
import { localPath, localName } from './names.ts';

/** Fetches a URL, as long as all that was fetched is within the scratch space of the job. */
export type JobFetcher = (url: string) => Promise<Fetched>;

/** @returns a fetcher for one job */
export function fetcher(urls: UrlPolicy, { scratch }: Pick<Limits, 'scratch'>): JobFetcher {
  let left = scratch * 2 ** 20;
  return async (url) => {
    const fetched = await fetchSource(url, urls);
    if (!fetched.ok) return fetched;
    left -= fetched.content.length;
    return left >= 0
      ? fetched
      : {
          ok: false,
          code: 'fetch-too-large',
          message: `its files are larger than the ${scratch} MiB of scratch space that were offered`,
          transient: false,
        };
  };
}

/**
 * Writes a workflow and what it refers to below a folder, so that references still lead there.
 *
 * @param seen the path by which the job sees the folder, which is moved before it runs
 * @returns the path of its first document, relative to the folder, the fragment of its URL with
 *   its '#', and the version of its language
 * @throws JobFailure
 */
export async function fetchWorkflow(
  { type, workflow, inputs }: WorkflowTask,
  folder: string,
  seen: string,
  fetched: JobFetcher,
): Promise<{
  readonly document: string;
  readonly fragment: string;
  readonly version: string | undefined;
}> {
  const language = languageOf(type);
  const url = workflow.kind === 'url' ? workflow.url : undefined;
  const base = url && withoutFragment(url);
  const read = (one: string): Promise<string | JobFailure> => textOf(one, fetched);
  const text = workflow.kind === 'url' ? await read(workflow.url) : workflow.text;
  if (text instanceof JobFailure) throw text;
  const gathered = await gather(language, text, url, read, givenNames(inputs));
  if (!gathered.ok) throw failureOf(gathered.fault);
  const judged = language.factsOf({ url, text, others: gathered.documents, inputs });
  if (!judged.ok) throw failureOf(judged.fault);
  const placeOf = (one: string): string => join(folder, localPath(one));
  const localised = (one: string, content: string): string =>
    language.localised(content, one, (other) => pathToFileURL(join(seen, localPath(other))).href);
  const document = base === undefined ? INLINE : localPath(base);
  await put(join(folder, document), base === undefined ? text : localised(base, text));
  for (const [one, content] of gathered.documents) await put(placeOf(one), localised(one, content));
  for (const one of gathered.files) {
    const file = await fetched(one);
    // A default that nobody uses may be missing: the interpreter says what it needs.
    if (file.ok) await put(placeOf(one), file.content);
    else if (file.transient) throw failureAt(one, file);
  }
  const fragment = url === undefined ? '' : url.slice(withoutFragment(url).length);
  return { document, fragment, version: judged.facts.version };
}

/**
 * Fetches the files of the inputs below a folder.
 *
 * @returns the inputs with paths in place of URLs
 * @throws JobFailure
 */
export async function fetchInputs(
  { inputs }: WorkflowTask,
  folder: string,
  view: { readonly task: string; readonly work: string },
  fetched: JobFetcher,
): Promise<unknown> {
  const names = new Map<string, string>();
  withFiles(inputs, '', (file) => {
    const { key, written } = placeOfFile(file);
    if (file['class'] === 'File' && typeof written === 'string' && !isVolume(key, written))
      // Files of different folders may have the same name, and those beside each other belong together.
      names.set(written, placeFor(written, names));
    return file;
  });
  for (const [url, name] of names) {
    const file = await fetched(url);
    if (!file.ok) throw new JobFailure(file.code, whyNoInput(url, file), file.transient);
    await put(join(folder, name), file.content);
  }
  const placed = withFiles(inputs, '', (file) => {
    const { key, written } = placeOfFile(file);
    if (typeof written !== 'string') return file;
    const { location: _location, path: _path, ...rest } = file;
    if (isVolume(key, written)) return { ...rest, path: posix.join(view.work, written) };
    const name = names.get(written);
    if (name !== undefined) return { ...rest, path: posix.join(view.task, name) };
    const named = { basename: localName(written), ...rest };
    return file['class'] === 'Directory' ? { ...named, location: written } : named;
  });
  return placeDirectories(placed, folder, view.task);
}

/** A file is there already, or a folder of its name, or a file in place of its folder. */
const CLASHES = new Set(['EEXIST', 'EISDIR', 'ENOTDIR']);
const INLINE = 'workflow/document';
const INPUTS = 'inputs';
/** More than files of inputs may be. */
const MOST_FOLDERS = 1000;

function isVolume(key: string, written: string): boolean {
  return key === 'path' && isOwnPath(written);
}

/** A folder of files beside each other, or the next one when it has another file of that name. */
function placeFor(url: string, names: ReadonlyMap<string, string>): string {
  const known = names.get(url);
  if (known !== undefined) return known;
  const taken = new Set(names.values());
  const own = url.slice(0, url.lastIndexOf('/'));
  const folders = [...new Set([...names.keys()].map((one) => one.slice(0, one.lastIndexOf('/'))))];
  const index = folders.indexOf(own);
  const name = localName(url);
  let number = index === -1 ? folders.length : index;
  while (taken.has(posix.join(INPUTS, `${number}`, name))) number += MOST_FOLDERS;
  return posix.join(INPUTS, `${number}`, name);
}

function whyNoInput(url: string, { code, message }: NotFetched): string {
  const instead = code === 'fetch-too-large' ? '; give the path of a file in a volume instead' : '';
  return `${shown(url)}: ${message}${instead}`;
}

function failureOf(fault: WorkflowFault): JobFailure {
  const { code, text } = shownFault(fault);
  return new JobFailure(code, text);
}

/** @returns why it is not there, which a second attempt would not change */
async function textOf(url: string, fetched: JobFetcher): Promise<string | JobFailure> {
  const found = await fetched(withoutFragment(url));
  if (found.ok) return found.content.toString('utf8');
  const failure = failureAt(url, found);
  if (found.transient) throw failure;
  return failure;
}

type NotFetched = Exclude<Fetched, { ok: true }>;

/** A workflow may refer to many documents: the error names the one. */
function failureAt(url: string, { code, message, transient }: NotFetched): JobFailure {
  return new JobFailure(code, `${shown(url)}: ${message}`, transient);
}

async function put(path: string, content: string | Buffer): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // `wx`: two URLs that would be one file are no workflow that can be placed.
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !CLASHES.has(code)) throw error;
    throw new JobFailure('workflow-invalid', 'two of its URLs would have the same place on disc');
  }
}
