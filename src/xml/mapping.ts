import { isRecord } from '../words/record.ts';
import { nameOf, referred, textsAt, type Schema } from './leaves.ts';
import { openShapes } from './shapes.ts';
import type { XmlShape } from './shape.ts';

/** A document that the contract has in XML. */
export type XmlDocument = {
  /** name of its schema in the contract */
  readonly schema: string;
  /** name of its root element */
  readonly root: string;
  /** namespace of its elements; empty for none */
  readonly namespace: string;
  readonly shape: XmlShape;
  /** In JSON, a mapping with only this key, the name of the root, is around it. */
  readonly isWrapped: boolean;
};

/** The documents of a contract in XML. */
export type XmlMapping = {
  readonly documents: readonly XmlDocument[];
  /** documents that a client may send to a path of the service */
  readonly sent: (method: string, path: string) => readonly XmlDocument[];
  /** the document of an answer; undefined where the contract has none in XML */
  readonly answered: (method: string, path: string, status: number) => XmlDocument | undefined;
  /** the document of every problem (RFC 9457); undefined where the contract has none in XML */
  readonly problem: XmlDocument | undefined;
};

/**
 * Makes the mapping of everything that has a media type of XML in a contract.
 *
 * @throws Error for annotations that contradict each other
 */
export function openMapping(contract: object): XmlMapping {
  const known = new Map<string, XmlDocument>();
  const shapeOf = openShapes(contract);

  function documentOf(schema: Schema, json: unknown): XmlDocument | undefined {
    const [reference] = textsAt(schema, '$ref');
    if (reference === undefined) return undefined;
    const name = nameOf(reference);
    const { xml } = referred(contract, reference);
    const told = isRecord(xml) ? xml : {};
    const root = textsAt(told, 'name')[0] ?? name;
    const made: XmlDocument = {
      schema: name,
      root,
      namespace: textsAt(told, 'namespace')[0] ?? '',
      shape: shapeOf(schema),
      isWrapped: isWrapper(contract, json, root),
    };
    const before = known.get(name);
    if (before !== undefined && before.isWrapped === made.isWrapped) return before;
    known.set(name, made);
    return made;
  }

  /** The documents of a body or an answer: its schema, or the alternatives of that. */
  function documentsOf(content: unknown): readonly XmlDocument[] {
    if (!isRecord(content)) return [];
    const xml = Object.entries(content).find(([type]) => /^application\/(?:.*\+)?xml$/.test(type));
    const json = Object.entries(content).find(([type]) =>
      /^application\/(?:.*\+)?json$/.test(type),
    );
    if (!isRecord(xml?.[1]) || !isRecord(xml[1]['schema'])) return [];
    const schema = xml[1]['schema'];
    const parts = Array.isArray(schema['oneOf']) ? schema['oneOf'].filter(isRecord) : [schema];
    const other = isRecord(json?.[1]) ? json[1]['schema'] : undefined;
    return parts.flatMap((one) => documentOf(one, other) ?? []);
  }

  const operations = operationsOf(contract, documentsOf);
  const find = (method: string, path: string): Operation | undefined =>
    operations.find((one) => one.method === methodOf(method) && one.pattern.test(path));
  return {
    documents: [...known.values()],
    sent: (method, path) => find(method, path)?.sent ?? [],
    answered: (method, path, status) => find(method, path)?.answered.get(`${status}`)?.[0],
    problem: [...known.values()].find(({ schema }) => schema === 'Problem'),
  };
}

type Operation = {
  readonly method: string;
  readonly pattern: RegExp;
  readonly sent: readonly XmlDocument[];
  /** by status */
  readonly answered: ReadonlyMap<string, readonly XmlDocument[]>;
};

function operationsOf(
  contract: object,
  documentsOf: (content: unknown) => readonly XmlDocument[],
): readonly Operation[] {
  const { paths } = Object(contract);
  return Object.entries(Object(paths)).flatMap(([path, methods]) =>
    Object.entries(Object(methods)).flatMap(([method, operation]): readonly Operation[] => {
      if (!isRecord(operation)) return [];
      const answered = Object.entries(Object(operation['responses'])).map(
        ([status, response]) => [status, documentsOf(contentOf(contract, response))] as const,
      );
      const sent = documentsOf(contentOf(contract, operation['requestBody']));
      const pattern = new RegExp(
        `^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}/?$`,
        'i',
      );
      return [{ method, pattern, sent, answered: new Map(answered) }];
    }),
  );
}

function contentOf(contract: object, part: unknown): unknown {
  if (!isRecord(part)) return undefined;
  const [reference] = textsAt(part, '$ref');
  return (reference === undefined ? part : referred(contract, reference))['content'];
}

function methodOf(method: string): string {
  return method === 'HEAD' ? 'get' : method.toLowerCase();
}

/** Is a schema a mapping with one property, which has the name of a root? */
function isWrapper(contract: object, schema: unknown, root: string): boolean {
  if (!isRecord(schema)) return false;
  const [reference] = textsAt(schema, '$ref');
  const { properties } = reference === undefined ? schema : referred(contract, reference);
  return isRecord(properties) && Object.keys(properties).join() === root;
}
