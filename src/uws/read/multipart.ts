import { Problem } from '../../words/problem.ts';
import { invalidParameter, type ControlParameters, parametersOf } from './control.ts';

/** The content of a parameter, sent as a part of a form (UWS § 2.2.3.1.1). */
export type Inline = { readonly type: string; readonly content: Uint8Array };

/** A part of a form that is content, with its name as it was written. */
export type FormPart = Inline & { readonly name: string };

/** Parts by their names in upper case. */
export type FormParts = ReadonlyMap<string, FormPart>;

type Multipart = { readonly parameters: ControlParameters; readonly inline: FormParts };

const MOST_PARTS = 100;
const REFERENCE = /^(\S*,)?param:([^\s,;]+)$/;

/**
 * What a value refers to: a part of the form, by its name in upper case; `whole` when
 * the value is nothing but that.
 */
export type Reference = { readonly part: string; readonly whole: boolean };

/**
 * What a value such as `param:ask`, or `table,param:ask` of DALI's UPLOAD, refers
 * to; undefined of a plain value.
 */
export function referenceOf(value: string): Reference | undefined {
  const [, before, part] = REFERENCE.exec(value) ?? [];
  return part === undefined ? undefined : { part: part.toUpperCase(), whole: before === undefined };
}

/**
 * The part that the value of a parameter refers to.
 * @throws Problem `parameter-invalid` (400) when the form has none of that name.
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
 * Reads a multipart form. A part with a file name is content, and so is a part that another one
 * refers to by `param:<name>`; all others are parameters.
 *
 * @throws Problem `body-unreadable` (400); `parameter-invalid` (400)
 * when two contents have one name.
 */
export async function readMultipart(type: string, bytes: Buffer): Promise<Multipart> {
  const parts = [...(await parse(type, new Uint8Array(bytes)))];
  if (parts.length > MOST_PARTS)
    throw new Problem(
      'body-unreadable',
      `The form has ${parts.length} parts; ${MOST_PARTS} are the most.`,
    );
  const files = new Set(
    parts.flatMap(([name, value]) => (typeof value === 'string' ? [] : [name.toUpperCase()])),
  );
  const meant = new Set(
    parts.flatMap(([, value]) =>
      typeof value === 'string' ? (referenceOf(value)?.part ?? []) : [],
    ),
  );
  const inline = new Map<string, FormPart>();
  const texts: [name: string, value: string][] = [];
  for (const [name, value] of parts) {
    const key = name.toUpperCase();
    // A parameter may have the name of the file that it refers to.
    if (typeof value === 'string' && (files.has(key) || !meant.has(key))) texts.push([name, value]);
    else if (inline.has(key))
      throw invalidParameter('The name of a part', name, 'that of one content alone');
    else inline.set(key, await partOf(name, value));
  }
  return { parameters: parametersOf(texts), inline };
}

async function parse(type: string, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw new Problem('body-unreadable', 'The body is not multipart/form-data that can be read.');
  }
}

async function partOf(name: string, value: string | File): Promise<FormPart> {
  return typeof value === 'string'
    ? { name, type: 'text/plain; charset=utf-8', content: new TextEncoder().encode(value) }
    : {
        name,
        type: value.type || 'application/octet-stream',
        content: new Uint8Array(await value.arrayBuffer()),
      };
}
