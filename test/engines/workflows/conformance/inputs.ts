import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { load } from 'js-yaml';
import { isRecord } from '../../../../src/words/record.ts';

/** A folder of this machine, and the URL at which a server has it. */
export type Served = { readonly folder: string; readonly url: string };

/** The URL of a file below the folder. @throws Error for others */
export function urlOf({ folder, url }: Served, path: string): string {
  const name = relative(folder, path);
  if (name.startsWith('..')) throw new Error(`${path} is not below ${folder}`);
  return `${url}/${name.split('/').map(encodeURIComponent).join('/')}`;
}

/**
 * The inputs in a file of a CWL runner, whose files are beside it, with URLs in place of paths.
 *
 * @param document the path of the document whose inputs they are
 */
export function readInputFile(served: Served, file: string, document: string): unknown {
  const inputs = load(readFileSync(file, 'utf8')) ?? {};
  return withUrls(inputs, { served, file, patterns: patternsOf(document) });
}

/**
 * A document whose directories name their files, as a runner finds them where the document is;
 * undefined: it has none.
 */
export function documentWithListings(served: Served, file: string): string | undefined {
  const text = readFileSync(file, 'utf8');
  return /class: Directory/.test(text)
    ? JSON.stringify(withListings(load(text), { served, file }))
    : undefined;
}

function withListings(value: unknown, reading: Pick<Reading, 'served' | 'file'>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withListings(item, reading));
  if (!isRecord(value)) return value;
  const path =
    value['class'] === 'Directory' && value['listing'] === undefined
      ? pathOf(value, reading.file)
      : undefined;
  if (path !== undefined) return { ...value, ...directoryOf(reading.served, path) };
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withListings(item, reading)]),
  );
}

type Reading = {
  readonly served: Served;
  readonly file: string;
  /** of the files that belong to a file */
  readonly patterns: readonly string[];
};

function withUrls(value: unknown, reading: Reading): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withUrls(item, reading));
  if (!isRecord(value)) return value;
  const { served, file } = reading;
  const path = value['class'] === undefined ? undefined : pathOf(value, file);
  const { path: _path, location: _location, ...rest } = value;
  const inner = Object.fromEntries(
    Object.entries(path === undefined ? value : rest).map(([key, item]) => [
      key,
      withUrls(item, reading),
    ]),
  );
  if (path === undefined) return inner;
  if (value['class'] === 'File')
    return { ...besides(reading, path), ...inner, location: urlOf(served, path) };
  return Array.isArray(value['listing'])
    ? { basename: basename(path), ...inner }
    : { ...directoryOf(served, path), ...inner };
}

/** `location` is a reference, `path` the name of a file; both from the folder of the inputs. */
function pathOf(value: Readonly<Record<string, unknown>>, file: string): string | undefined {
  if (typeof value['location'] === 'string') {
    const url = URL.parse(value['location'], pathToFileURL(file).href);
    return url?.protocol === 'file:' ? fileURLToPath(url) : undefined;
  }
  return typeof value['path'] === 'string' ? join(dirname(file), value['path']) : undefined;
}

/** What lies beside a file: nobody can look for it on a web server, so a client names it. */
function besides({ served, patterns }: Reading, path: string): object {
  const [folder, name] = [dirname(path), basename(path)];
  const all = readdirSync(folder);
  const names = new Set(patterns.flatMap((pattern) => namesBy(pattern, name, all)));
  const files = [...names].map((other) => ({
    class: 'File',
    location: urlOf(served, join(folder, other)),
  }));
  return files.length === 0 ? {} : { secondaryFiles: files };
}

/** `.bai` is appended, each `^` takes an extension away; an expression may mean what is appended. */
function namesBy(pattern: string, name: string, all: readonly string[]): readonly string[] {
  if (pattern.includes('$')) return all.filter((other) => other.startsWith(`${name}.`));
  const [, carets = '', end = ''] = /^(\^*)(.*?)\??$/.exec(pattern) ?? [];
  const root = [...carets].reduce((short) => short.replace(/\.[^.]*$/, ''), name);
  return all.filter((other) => other === `${root}${end}`);
}

/** The patterns of all inputs of a document, and of the types that it defines. */
function patternsOf(document: string): readonly string[] {
  const read = load(readFileSync(document, 'utf8'));
  const graph = isRecord(read) ? (read['$graph'] ?? [read]) : [];
  const processes = Array.isArray(graph) ? graph.filter(isRecord) : [];
  return processes.flatMap(({ inputs, requirements }) => patternsIn([inputs, requirements]));
}

function patternsIn(value: unknown, isPattern = false): readonly string[] {
  if (typeof value === 'string') return isPattern ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((item: unknown) => patternsIn(item, isPattern));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    patternsIn(item, key === 'secondaryFiles' || (isPattern && key === 'pattern')),
  );
}

/** A directory with the list of its files: nobody can list what a web server has. */
function directoryOf(served: Served, path: string): object {
  return {
    class: 'Directory',
    location: urlOf(served, path),
    basename: basename(path),
    listing: readdirSync(path).map((name) => {
      const inner = join(path, name);
      return statSync(inner).isDirectory()
        ? directoryOf(served, inner)
        : { class: 'File', location: urlOf(served, inner) };
    }),
  };
}
