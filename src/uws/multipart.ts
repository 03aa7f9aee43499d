import { Problem } from '../words/problem.ts';
import type { Parameters } from './control.ts';

/** The content of a parameter, sent as a part of a form (UWS § 2.2.3.1.1). */
export type Inline = { readonly type: string; readonly content: Uint8Array };

type Multipart = { readonly parameters: Parameters; readonly inline: ReadonlyMap<string, Inline> };

const MOST_PARTS = 100;
const REFERENCE = /(?:^|,)param:([^,;]+)$/;

const parse = async (type: string, bytes: Uint8Array<ArrayBuffer>): Promise<FormData> => {
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData();
  } catch {
    throw new Problem('body-unreadable', 'The body is not multipart/form-data that can be read.');
  }
};

/** The part that a value such as `param:ask` or `table,param:ask` stands for; undefined when it is a plain value. */
export const referenceOf = (value: string): string | undefined => REFERENCE.exec(value)?.[1];

/**
 * Reads a multipart form. A part with a file name is content, and so is a part that another one refers to by
 * `param:<name>`; all others are parameters, with their names in upper case.
 *
 * @throws Problem `body-unreadable` (400).
 */
export const readMultipart = async (type: string, bytes: Buffer): Promise<Multipart> => {
  const parts = [...await parse(type, new Uint8Array(bytes))];
  if (parts.length > MOST_PARTS) throw new Problem('body-unreadable', `The form has ${parts.length} parts; ${MOST_PARTS} are the most.`);
  const texts = parts.flatMap(([name, part]) => (typeof part === 'string' ? [{ name, part }] : []));
  const meant = new Set(texts.flatMap(({ part }) => referenceOf(part) ?? []));
  const inline = new Map<string, Inline>();
  for (const [name, part] of parts) {
    if (typeof part !== 'string') inline.set(name, { type: part.type || 'application/octet-stream', content: new Uint8Array(await part.arrayBuffer()) });
    else if (meant.has(name)) inline.set(name, { type: 'text/plain; charset=utf-8', content: new TextEncoder().encode(part) });
  }
  const plain = texts.filter(({ name }) => !meant.has(name));
  const parameters = new Map([...Map.groupBy(plain, ({ name }) => name.toUpperCase())].map(([name, values]) => [name, values.map(({ part }) => part)]));
  return { parameters, inline };
};
