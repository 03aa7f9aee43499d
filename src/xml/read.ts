import {
  ANY,
  ENTRY,
  HINT,
  ITEM,
  JSON_KEY,
  KEY,
  looksLikeList,
  jsonNumber,
  OTHERS,
  valueOfText,
  type RecordShape,
  type XmlShape,
} from './shape.ts';
import { XmlFault, type Tree } from './tree.ts';

/** The most levels of a value: the same as of YAML. */
const MOST_LEVELS = 30;

/**
 * The value of an element, by its shape and the attribute `json`. What does not fit the shape is
 * read as it stands, so that the contract refuses it with its place.
 *
 * @throws XmlFault for an element that means nothing, or two values
 */
export function readElementAs(tree: Tree, shape: XmlShape, level = 0): unknown {
  const { attributes, children, text } = tree;
  const told = attributes.get(HINT);
  switch (told) {
    case undefined:
      break;
    case 'string':
      return textOf(tree);
    case 'escaped':
      return unescaped(tree, textOf(tree));
    case 'number':
      return jsonNumber(textOf(tree).trim()) ?? fail(tree, 'has no number of JSON');
    case 'boolean':
      return truthOf(tree);
    case 'null':
      return textOf(tree).trim() === '' ? null : fail(tree, 'has a text, although it is null');
    case 'list':
      return readList(tree, shape, level);
    case 'map':
      return readRecord(tree, shape, level);
    default:
      return fail(tree, `has ${HINT}="${told.slice(0, 40)}", which is no type`);
  }
  const count = attributeCount(tree);
  if (children.length === 0 && count === 0) return valueOfText(shape, text);
  return looksLikeList(shape, namesOf(children), count)
    ? readList(tree, shape, level)
    : readRecord(tree, shape, level);
}

function* namesOf(children: readonly Tree[]): Iterable<string> {
  for (const { name } of children) yield name;
}

/** Without those that every element may have. */
function attributeCount({ name, attributes }: Tree): number {
  if (attributes.size === 0) return 0;
  const own = [HINT, ...(name === ENTRY ? [KEY, JSON_KEY] : [])];
  return attributes.size - own.filter((one) => attributes.has(one)).length;
}

function textOf(tree: Tree): string {
  if (tree.children.length > 0) fail(tree, 'has elements where a text belongs');
  requireNoAttributes(tree);
  return tree.text;
}

function requireNoAttributes(tree: Tree): void {
  if (attributeCount(tree) > 0)
    fail(tree, `has the attribute ${unknownAttribute(tree, [])}, which is not known`);
}

function unescaped(tree: Tree, text: string): string {
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    if (typeof value === 'string') return value;
  } catch {}
  return fail(tree, 'has no inner text of a JSON string');
}

function truthOf(tree: Tree): boolean {
  const text = textOf(tree).trim();
  return text === 'true' || (text === 'false' ? false : fail(tree, 'is neither true nor false'));
}

function readList(tree: Tree, shape: XmlShape, level: number): readonly unknown[] {
  requireOnlyElements(tree, level);
  requireNoAttributes(tree);
  const { item, shape: inner } = shape.list ?? { item: ITEM, shape: () => ANY };
  return tree.children.map((child) => {
    if (child.name !== item) fail(child, `stands where <${item}> belongs`);
    return readElementAs(child, inner(), level + 1);
  });
}

function requireOnlyElements(tree: Tree, level: number): void {
  if (level >= MOST_LEVELS) fail(tree, `is below more than ${MOST_LEVELS} levels`);
  if (/[^ \t\n]/.test(tree.text)) fail(tree, 'has a text beside its elements');
}

function readRecord(tree: Tree, shape: XmlShape, level: number): object {
  requireOnlyElements(tree, level);
  const record = shape.record ?? ANY.record;
  if (record === undefined) throw new Error('any value may be a mapping');
  const values = new Map<string, unknown>();
  const add = (key: string, from: Tree, value: unknown): void => {
    if (values.has(key)) fail(from, 'is given twice');
    values.set(key, value);
  };
  for (const [name, text] of tree.attributes) {
    const key = record.byAttribute.get(name);
    if (key !== undefined) add(key, tree, valueOfText(shapeAt(record, key), text));
  }
  const known = values.size;
  if (attributeCount(tree) > known) {
    const name = unknownAttribute(tree, record.byAttribute.keys());
    fail(tree, `has the attribute ${name}, which is not known; write an element`);
  }
  for (const child of tree.children)
    for (const { key, from } of keysOf(child, record))
      add(key, from, readElementAs(from, shapeAt(record, key), level + 1));
  return Object.fromEntries(values);
}

type Keyed = { readonly key: string; readonly from: Tree };

/** The keys of an element in a mapping: one, or those of all entries in `<others>`. */
function keysOf(child: Tree, record: RecordShape): readonly Keyed[] {
  const key = record.byElement.get(child.name);
  if (key !== undefined) return [{ key, from: child }];
  if (child.name === ENTRY) return [{ key: keyOfEntry(child), from: child }];
  if (child.name === OTHERS && record.restIn === 'others') {
    requireOnlyElements(child, 0);
    requireNoAttributes(child);
    return child.children.map((entry) => {
      if (entry.name !== ENTRY) fail(entry, `stands where <${ENTRY}> belongs`);
      return { key: keyOfEntry(entry), from: entry };
    });
  }
  // Without this, an element could stand for a key that the schema calls by another name.
  if (record.properties.has(child.name)) fail(child, 'has another name in XML');
  return [{ key: child.name, from: child }];
}

function keyOfEntry(entry: Tree): string {
  const key = entry.attributes.get(KEY);
  const escaped = entry.attributes.get(JSON_KEY);
  if (key !== undefined && escaped === undefined) return key;
  if (key === undefined && escaped !== undefined) return unescaped(entry, escaped);
  return fail(entry, `needs one of the attributes ${KEY} and ${JSON_KEY}`);
}

function shapeAt(record: RecordShape, key: string): XmlShape {
  return (record.properties.get(key)?.shape ?? record.rest)();
}

function unknownAttribute({ attributes }: Tree, known: Iterable<string>): string {
  const names = new Set<string>([HINT, KEY, JSON_KEY, ...known]);
  return [...attributes.keys()].find((name) => !names.has(name)) ?? KEY;
}

function fail({ name, line }: Tree, reason: string): never {
  throw new XmlFault(`<${name}> ${reason}`, line);
}
