import type { Database } from '../../db/client.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { JobId } from '../../words/ids.ts';
import {
  invalidParameter,
  type ControlParameter,
  type ControlParameters,
} from '../read/control.ts';
import { type Inline, partFor, type FormParts, referenceOf } from '../read/multipart.ts';
import { isXmlText } from '../../xml/escape.ts';

/** A parameter that the client gave besides its offer; `type` is null for a text. */
export type Given = {
  readonly name: string;
  readonly type: string | null;
  readonly content: Uint8Array;
};

/** Bytes that the parameters take. */
export function parameterBytesOf(given: readonly Given[]): number {
  return given.reduce((sum, { name, content }) => sum + name.length + content.length, 0);
}

/** Most bytes of all parameters of a job; larger data belongs behind a URL. */
const MOST_BYTES = 2 ** 20;

/** Names with a meaning for the service; all others belong to the client. */
const OURS = new Set([
  'OFFER',
  'REQUEST',
  'PHASE',
  'RUNID',
  'EXECUTIONDURATION',
  'DESTRUCTION',
  'ACTION',
  'WAIT',
  'WHY',
]);

export function isOurs(name: string): boolean {
  return OURS.has(name.toUpperCase());
}

/** The name is part of a key of the database, which may have 2,704 bytes. */
const LONGEST_NAME = 200;
const A_NAME = `1 to ${LONGEST_NAME} characters, none of them a control character`;

const TEXT_TYPE = /^text\/plain(?:;|$)/i;

/** @throws Problem `parameter-invalid` (400) for a name that cannot be stored. */
export function given(name: string, { type, content }: Inline): Given {
  requireName(name);
  return { name, type: TEXT_TYPE.test(type) && isText(content) ? null : type, content };
}

/**
 * The client's own parameters of a request, with their names as the client wrote them. A text that
 * is given several times becomes one text with a line for each; `INPUT=param:<part>` is the content
 * of that part, under the name INPUT.
 *
 * @throws Problem `parameter-invalid` (400), also for a name with both a text and a content, and
 * for a missing part.
 */
export function givenBy(parameters: ControlParameters, parts: FormParts): readonly Given[] {
  const texts = [...parameters.values()]
    .filter(({ name }) => !isOurs(name))
    .map((one) => givenAs(one, parts));
  const referenced = referredOnly(parameters);
  const own = [...parts]
    .filter(([key, { name }]) => !isOurs(name) && !referenced.has(key))
    .map(([, part]) => part);
  const ambiguous = own.find(({ name }) => parameters.has(name.toUpperCase()));
  if (ambiguous !== undefined)
    throw invalidParameter(
      'The name of a parameter',
      ambiguous.name,
      'that of a text or that of a file, not of both',
    );
  return [...texts, ...own.map((part) => keptAs(part.name, part))];
}

/**
 * When parameters may be stored: `create` with the job, where an earlier value stays; `change` only
 * while the job is PENDING.
 */
type Occasion = 'create' | 'change';

/** @returns `illegal` when the job is past that; `full` when its parameters would exceed 1 MiB. */
export async function keepParameters(
  database: Database,
  id: JobId,
  given: readonly Given[],
  occasion: Occasion,
): Promise<'kept' | 'illegal' | 'full'> {
  if (given.length === 0) return 'kept';
  const rows = given.map(({ name, type, content }) => ({
    name,
    type,
    content: Buffer.from(content).toString('base64'),
  }));
  const states =
    occasion === 'create'
      ? Prisma.sql`ARRAY['ACCEPTED', 'WAITING', 'PREPARING', 'AVAILABLE', 'RUNNING', 'RELEASING']`
      : Prisma.sql`ARRAY['ACCEPTED']`;
  const [row] = await database.$queryRaw<readonly { verdict: 'kept' | 'illegal' | 'full' }[]>`
    SELECT keep_parameters(${id}::uuid, ${JSON.stringify(rows)}::jsonb,
      ${occasion === 'change'}::boolean, ${states}::session_state[],
      ${MOST_BYTES}::bigint) AS verdict`;
  return row?.verdict ?? 'illegal';
}

/** Reads one parameter of a job by its name in any case. */
export async function readParameter(
  database: Database,
  id: JobId,
  name: string,
): Promise<Given | undefined> {
  if (!isName(name)) return undefined;
  const [row] = await database.$queryRaw<readonly Given[]>`
    SELECT name, media_type AS type, content FROM job_parameter
    WHERE job_id = ${id}::uuid AND upper(name) = upper(${name}) ORDER BY name = ${name} DESC, name LIMIT 1`;
  return row;
}

function requireName(name: string): void {
  if (!isName(name)) throw invalidParameter('The name of a parameter', name, A_NAME);
}

function isName(name: string): boolean {
  return name !== '' && name.length <= LONGEST_NAME && isXmlText(name);
}

/**
 * True for what PostgreSQL takes as text, UTF-8 without NUL: one invalid byte would make the whole
 * job unreadable (`convert_from` of read_jobs).
 */
function isText(content: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(content).includes('\0');
  } catch {
    return false;
  }
}

/**
 * Reads one parameter of a form: a text, or the content of the part that it refers to (UWS §
 * 2.2.3.1.1).
 */
function givenAs({ name, values }: ControlParameter, parts: FormParts): Given {
  const [value = '', ...more] = values;
  const references = values.flatMap((one) => {
    const reference = referenceOf(one);
    return reference === undefined
      ? []
      : [{ reference, part: partFor(name, one, reference, parts) }];
  });
  const [first] = references;
  if (first === undefined || !first.reference.whole) return givenText(name, values);
  if (more.length > 0)
    throw invalidParameter(name, value, 'given once when it refers to a part of the form');
  return keptAs(name, first.part);
}

function givenText(name: string, values: readonly string[]): Given {
  requireName(name);
  const text = values.join('\n');
  if (text.includes('\0'))
    throw invalidParameter(
      name,
      text,
      'text without NUL; send bytes as a part of a multipart form, or by PUT',
    );
  return { name, type: null, content: new TextEncoder().encode(text) };
}

/** Content from a part of a form; documents always show it by reference. */
function keptAs(name: string, part: Inline): Given {
  return { ...given(name, part), type: part.type };
}

/**
 * Parts that only whole values refer to: they become those parameters, and no parameters of their
 * own.
 */
function referredOnly(parameters: ControlParameters): ReadonlySet<string> {
  // Of the service's own parameters, only REQUEST refers to a part.
  const referring = [...parameters.values()].filter(
    ({ name }) => !isOurs(name) || name.toUpperCase() === 'REQUEST',
  );
  const references = referring.flatMap(({ values }) =>
    values.flatMap((value) => referenceOf(value) ?? []),
  );
  const named = new Set(references.filter(({ whole }) => !whole).map(({ part }) => part));
  return new Set(
    references.filter(({ whole, part }) => whole && !named.has(part)).map(({ part }) => part),
  );
}
