import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { Problem } from '../../words/problem.ts';
import { invalidParameter, type ControlParameters, parametersOf, shownValue } from './control.ts';

/** The content of a parameter, as a part of a form (UWS § 2.2.3.1.1). */
export type Inline = { readonly type: string; readonly content: Uint8Array };

/** A part of a form with content, and its name as the client wrote it. */
type FormPart = Inline & { readonly name: string };

/** Parts by their names in upper case. */
export type FormParts = ReadonlyMap<string, FormPart>;

type Multipart = { readonly parameters: ControlParameters; readonly inline: FormParts };

const MOST_PARTS = 100;
const BOUNDARY = /;\s*boundary=(?:"((?:[^"\\]|\\.)+)"|([^\s;"]+))/i;
const REFERENCE = /^(\S*,)?param:([^\s,;]+)$/;

/**
 * The part of the form that a value refers to, by its name in upper case; `whole` when the
 * reference is the whole value.
 */
type Reference = { readonly part: string; readonly whole: boolean };

/**
 * The part that a value such as `param:ask`, or `table,param:ask` of DALI's UPLOAD, refers to;
 * undefined for a plain value.
 */
export function referenceOf(value: string): Reference | undefined {
  const [, before, part] = REFERENCE.exec(value) ?? [];
  return part === undefined ? undefined : { part: part.toUpperCase(), whole: before === undefined };
}

/**
 * Finds the part that the value of a parameter refers to.
 * @throws Problem `parameter-invalid` (400) when the form has no part of that name.
 */
export function partFor(
  name: string,
  value: string,
  { part }: Reference,
  parts: FormParts,
): FormPart {
  const found = parts.get(part);
  if (found === undefined)
    throw invalidParameter(name, value, 'param: and the name of a part of the same form');
  return found;
}

/**
 * Reads a multipart form. A part is content when it has a file name, or when another part refers to
 * it by `param:<name>`; all other parts are parameters.
 *
 * @throws Problem `body-unreadable` (400), also for a name or a parameter that is not UTF-8;
 * `parameter-invalid` (400) when two contents have the same name.
 */
export async function readMultipart(type: string, bytes: Buffer): Promise<Multipart> {
  const parts = await parse(type, bytes);
  if (parts.length > MOST_PARTS)
    throw new Problem(
      'body-unreadable',
      `The form has ${parts.length} parts; it may have at most ${MOST_PARTS}.`,
    );
  const files = new Set(parts.filter(isFile).map(({ name }) => name.toUpperCase()));
  const referenced = new Set(
    parts.flatMap((part) =>
      isFile(part) ? [] : (referenceOf(part.content.toString())?.part ?? []),
    ),
  );
  const inline = new Map<string, FormPart>();
  const texts: [name: string, value: string][] = [];
  for (const part of parts) {
    const { name, content, type: ofFile } = part;
    const key = name.toUpperCase();
    // A parameter may have the name of the file that it refers to.
    if (!isFile(part) && (files.has(key) || !referenced.has(key)))
      texts.push([name, textOf(content, `The value of ${shownValue(name)}`)]);
    else if (inline.has(key))
      throw invalidParameter('The name of a part', name, 'that of one content alone');
    else
      inline.set(key, {
        name,
        type: ofFile ?? 'text/plain; charset=utf-8',
        content: new Uint8Array(content),
      });
  }
  return { parameters: parametersOf(texts), inline };
}

/** A part as it was sent. */
type RawPart = {
  readonly name: string;
  /** of a file */
  readonly type: string | undefined;
  readonly content: Buffer;
};

function isFile({ type }: RawPart): boolean {
  return type !== undefined;
}

/**
 * Takes a form apart. The parser would repair what is not UTF-8, so it gets each byte as a character
 * of its own.
 */
async function parse(type: string, bytes: Buffer): Promise<readonly RawPart[]> {
  const form = await formOf(type, bytes.toString('latin1'));
  return Promise.all(
    [...form].map(async ([name, value]) => ({
      name: textOf(Buffer.from(name, 'latin1'), 'The name of a part'),
      type: typeof value === 'string' ? undefined : value.type || 'application/octet-stream',
      content: Buffer.from(typeof value === 'string' ? value : await value.text(), 'latin1'),
    })),
  );
}

async function formOf(type: string, text: string): Promise<FormData> {
  const own = delimited(type, text);
  try {
    return await new Response(own.text, { headers: { 'content-type': own.type } }).formData();
  } catch {
    throw new Problem('body-unreadable', 'The body cannot be read as multipart/form-data.');
  }
}

/**
 * The same form with a boundary that no content has. The parser takes its boundary for a delimiter
 * wherever it stands; it is one only alone on a line, with white space behind it (RFC 2046 § 5.1.1).
 */
function delimited(type: string, text: string): { readonly type: string; readonly text: string } {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
  if (boundary === undefined) return { type, text };
  const own = `planner-${randomUUID()}`;
  const line = `--${boundary.replaceAll(/\W/g, '\\$&')}(|--)[ \\t]*`;
  return {
    type: `multipart/form-data; boundary=${own}`,
    text: text.replaceAll(new RegExp(`(^|\\r\\n)${line}(?=\\r\\n|$)`, 'g'), `$1--${own}$2`),
  };
}

function textOf(bytes: Buffer, what: string): string {
  if (!isUtf8(bytes)) throw new Problem('body-unreadable', `${what} is not valid UTF-8.`);
  return new TextDecoder().decode(bytes);
}
