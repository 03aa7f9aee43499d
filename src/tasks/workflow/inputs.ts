import { isRecord } from '../../words/record.ts';
import type { WhyNoInput } from '../../workflows/language.ts';
import { invalidSpec, type SpecReader } from '../spec-reader.ts';
import { shown } from '../task.ts';
import { checkUrl, type UrlPolicy } from '../url-policy.ts';
import { directiveIn } from './directives.ts';

const LONGEST = 200_000;
const DEEPEST = 30;
const MOST_FILES = 200;

/** A file among the inputs of a workflow: `{ class: File, location: <URL> }`. */
export type InputFile = Readonly<Record<string, unknown>> & { readonly location: string };

/**
 * Reads `inputs`: JSON values, in which files have URLs. Problems are noted.
 *
 * @param whyNot why a key may not be among them
 */
export function readInputs(
  reader: SpecReader,
  policy: UrlPolicy,
  whyNot: WhyNoInput = () => undefined,
): Readonly<Record<string, unknown>> {
  const inputs = reader.fields.get('inputs') ?? {};
  if (!isRecord(inputs)) {
    invalidSpec(reader, 'inputs', 'inputs must be a mapping');
    return {};
  }
  if (isDeep(inputs, DEEPEST)) {
    invalidSpec(reader, 'inputs', 'inputs has too many levels', undefined, DEEPEST);
    return {};
  }
  const { length } = JSON.stringify(inputs);
  if (length > LONGEST) {
    invalidSpec(reader, 'inputs', 'inputs is too long: put values in a file', length, LONGEST);
    return {};
  }
  const directive = directiveIn(inputs, 'inputs', whyNot);
  if (directive !== undefined) {
    invalidSpec(reader, directive.at, directive.why, directive.key);
    return {};
  }
  let files = 0;
  withFiles(inputs, 'inputs', (file, at) => {
    files += 1;
    if (files <= MOST_FILES) checkFile(reader, file, at, policy);
    return file;
  });
  if (files > MOST_FILES)
    invalidSpec(
      reader,
      'inputs',
      'inputs has too many files: put them in a volume',
      files,
      MOST_FILES,
    );
  // Dates of YAML are no JSON; an offer prints what the job will get.
  const plain: unknown = JSON.parse(JSON.stringify(inputs));
  return isRecord(plain) ? plain : {};
}

/** The names of inputs that have a value; a default is in place of null. */
export function givenNames(inputs: unknown): ReadonlySet<string> {
  const all = isRecord(inputs) ? Object.entries(inputs) : [];
  return new Set(all.filter(([, value]) => value !== null).map(([name]) => name));
}

/**
 * The same value with other files: each mapping of the class File or Directory, those around it
 * last.
 *
 * @param change gets a mapping and its path
 */
export function withFiles(
  value: unknown,
  at: string,
  change: (file: Readonly<Record<string, unknown>>, at: string) => unknown,
): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, index) => withFiles(item, `${at}[${index}]`, change));
  if (!isRecord(value) || Object.prototype.toString.call(value) !== '[object Object]') return value;
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withFiles(item, `${at}.${shown(key)}`, change),
    ]),
  );
  return inner['class'] === 'File' || inner['class'] === 'Directory' ? change(inner, at) : inner;
}

/** The URL of a file; `path` is one, too, unless it is the path of a file of the job. */
export function placeOfFile(file: Readonly<Record<string, unknown>>): {
  readonly key: 'location' | 'path';
  readonly written: unknown;
} {
  return file['location'] === undefined
    ? { key: 'path', written: file['path'] }
    : { key: 'location', written: file['location'] };
}

/** Is it the path of a file below the working directory of the job, such as a volume's? */
export function isOwnPath(written: string): boolean {
  return (
    URL.parse(written) === null &&
    !written.startsWith('/') &&
    !written.includes('\0') &&
    written.split('/').every((part) => part !== '..')
  );
}

function checkFile(
  reader: SpecReader,
  file: Readonly<Record<string, unknown>>,
  at: string,
  policy: UrlPolicy,
): void {
  const { key, written } = placeOfFile(file);
  // A file may be a literal, with `contents`; a directory may be the list of what is in it.
  if (written === undefined) return;
  if (typeof written !== 'string')
    return invalidSpec(reader, `${at}.${key}`, `${key} must be a URL`);
  if (key === 'path' && isOwnPath(written)) return;
  if (file['class'] === 'Directory') {
    // Its place is only its name when it has a listing.
    if (Array.isArray(file['listing'])) return;
    return invalidSpec(
      reader,
      `${at}.${key}`,
      'a directory needs a listing of its files, or the path of a volume',
      shown(written),
    );
  }
  const checked = checkUrl(written, policy);
  if (checked.ok) return;
  const { code, text, limit } = checked;
  reader.problems.push({
    at: `${at}.${key}`,
    code,
    text,
    asked: shown(written),
    ...(limit !== undefined && { limit }),
  });
}

function isDeep(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return deepest === 0 || Object.values(value).some((item) => isDeep(item, deepest - 1));
}
