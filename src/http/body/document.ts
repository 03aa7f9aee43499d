import { load, YAMLException } from 'js-yaml';
import { Problem, type Fault } from '../../words/problem.ts';
import { readXml } from '../../xml/document.ts';
import type { XmlDocument } from '../../xml/mapping.ts';
import { XmlFault } from '../../xml/tree.ts';
import {
  LONG_NUMBERS,
  mayHaveLongNumbers,
  parseLongJson,
  roundInNotebooks,
} from './long-numbers.ts';

/** The deepest known ask has 7 levels. */
const MAX_DEPTH = 30;
/** Deeper JSON is read as YAML, which checks the depth. */
const SURE_DEPTH = 20;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const NO_TEXT = 'has NUL or half a surrogate pair';

/** How a document is written. */
export type BodyFormat = 'yaml' | 'json' | 'xml';

type Count = { left: number; readonly most: number };

/** After a string of JSON it says that the string is a key. */
const COLON = /\s*:/y;

/**
 * Reads one document, strictly.
 *
 * @param most largest number of values on all levels of a body
 * @param documents what a document in XML may be; without any, its root is its own only key
 * @throws Problem `body-unreadable`
 */
export function readDocument(
  bytes: Uint8Array,
  format: BodyFormat,
  most = Infinity,
  documents: readonly XmlDocument[] = [],
): unknown {
  const source = decode(bytes);
  const isLong = mayHaveLongNumbers(source);
  const document =
    format === 'xml' ? parseXml(source, documents, most) : parse(source, format === 'json', isLong);
  if (isLong) roundInNotebooks(document);
  const fault = faultOf(document, '', { left: most, most });
  if (fault !== undefined)
    throw unreadable(`The body cannot be used: at ${fault.path}, ${fault.text}.`, [fault]);
  return document;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw unreadable('The body is not valid UTF-8.');
  }
}

function unreadable(detail: string, errors?: readonly Fault[]): Problem {
  return new Problem('body-unreadable', detail, errors === undefined ? {} : { errors });
}

function parseXml(source: string, documents: readonly XmlDocument[], most: number): unknown {
  try {
    return readXml(source, documents, most);
  } catch (error) {
    if (error instanceof XmlFault)
      throw unreadable(`The body cannot be read as XML: ${error.message}.`);
    throw error;
  }
}

/** @param isLong whether it may have whole numbers that a double does not hold */
function parse(source: string, isJson: boolean, isLong: boolean): unknown {
  if (/^\s*<[?!]/.test(source))
    throw unreadable('The body is XML; send it with Content-Type application/xml.');
  try {
    const json: unknown = isJson ? JSON.parse(source) : undefined;
    if (isJson && keysOf(json, SURE_DEPTH) === writtenKeys(source))
      return isLong ? parseLongJson(source) : json;
    // JSON is YAML 1.2: the YAML reader tells where a key is repeated or the depth absurd, which
    // JSON.parse accepts.
    return load(source, {
      maxDepth: MAX_DEPTH,
      maxAliases: 0,
      ...(isLong && { schema: LONG_NUMBERS }),
    });
  } catch (error) {
    if (error instanceof YAMLException) {
      const place =
        error.mark === undefined
          ? ''
          : ` (line ${error.mark.line + 1}, column ${error.mark.column + 1})`;
      throw unreadable(
        `The body cannot be read as ${isJson ? 'JSON' : 'YAML'}: ${error.reason}${place}.`,
      );
    }
    if (error instanceof SyntaxError) throw unreadable(`The body is not JSON: ${error.message}.`);
    throw error;
  }
}

/**
 * Counts the keys of a parsed document on all levels; undefined for a document with more levels.
 */
function keysOf(value: unknown, levels: number): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return undefined;
  const children: readonly unknown[] = Object.values(value);
  let keys = Array.isArray(value) ? 0 : children.length;
  for (const child of children) {
    const below = keysOf(child, levels - 1);
    if (below === undefined) return undefined;
    keys += below;
  }
  return keys;
}

/**
 * Counts the keys of JSON as it is written: the strings that a colon follows. A pattern for whole
 * strings would fail at one with millions of escapes, such as a notebook sent as one text.
 */
function writtenKeys(json: string): number {
  let keys = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', at + 1)) {
    at = endOfText(json, at);
    COLON.lastIndex = at + 1;
    if (COLON.test(json)) keys += 1;
  }
  return keys;
}

/** The place of the quotation mark that ends a string of JSON: no escape hides it. */
function endOfText(json: string, begin: number): number {
  for (let at = json.indexOf('"', begin + 1); ; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (json[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
}

/**
 * Finds values that YAML has and JSON lacks, texts that the database cannot store, and keys that
 * would reach a JavaScript prototype.
 */
function faultOf(value: unknown, path: string, count: Count): Fault | undefined {
  count.left -= 1;
  if (count.left < 0)
    return {
      path,
      text: `there are more than ${count.most} values; send long tables as a file, or as one text`,
    };
  if (typeof value === 'string')
    return isText(value) ? undefined : { path, text: `the text ${NO_TEXT}` };
  if (typeof value === 'number' && !Number.isFinite(value))
    return { path, text: `${value} is not a JSON number` };
  if (typeof value === 'bigint')
    return {
      path,
      text: `${value} is longer than numbers are kept: write it as a text, in quotes`,
    };
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, child] of Object.entries(value)) {
    if (!isText(key)) return { path, text: `a key ${NO_TEXT}` };
    const at = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (FORBIDDEN_KEYS.has(key)) return { path: at, text: `${key} cannot be a key` };
    const fault = faultOf(child, at, count);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * False for NUL, and for halves of characters, which JSON escapes can write: PostgreSQL stores
 * neither.
 */
function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
