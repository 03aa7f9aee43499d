import { isRecord } from '../words/record.ts';
import type { XmlDocument } from './mapping.ts';
import { readElementAs } from './read.ts';
import { ANY } from './shape.ts';
import { readTree, XmlFault } from './tree.ts';
import { writeElement } from './write.ts';

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Root of a document that the contract does not have, and that has no key around it. */
const UNNAMED = 'document';

/**
 * Writes a document.
 *
 * @param as undefined: the contract does not have it, so its root has the name of its only key
 */
export function writeXml(document: unknown, as: XmlDocument | undefined): string {
  const { root, namespace, shape } = as ?? { root: rootOf(document), namespace: '', shape: ANY };
  const isWrapped = as?.isWrapped ?? root !== UNNAMED;
  const value = isWrapped && isRecord(document) ? document[root] : document;
  const attribute = namespace === '' ? '' : ` xmlns="${namespace}"`;
  return `${DECLARATION}${writeElement(root, shape, value, attribute)}\n`;
}

/**
 * Reads a document.
 *
 * @param as the documents that may be here; without any, every root is its own only key
 * @param most largest number of elements
 * @throws XmlFault
 */
export function readXml(source: string, as: readonly XmlDocument[], most = Infinity): unknown {
  const { tree, namespace } = readTree(source, most);
  const found = as.find(({ root }) => root === tree.name);
  if (found === undefined && as.length > 0) {
    const roots = as.map(({ root }) => `<${root}>`).join(' or ');
    throw new XmlFault(`the root is <${tree.name}>, which must be ${roots}`, tree.line);
  }
  const wanted = found?.namespace ?? '';
  if (namespace !== wanted)
    throw new XmlFault(
      `the namespace is '${namespace}', which must be ${wanted === '' ? 'none' : `'${wanted}'`}`,
      tree.line,
    );
  const value = readElementAs(tree, found?.shape ?? ANY);
  if (found?.isWrapped === true) return { [tree.name]: value };
  return found === undefined && tree.name !== UNNAMED ? { [tree.name]: value } : value;
}

function rootOf(document: unknown): string {
  const [key, ...others] = isRecord(document) ? Object.keys(document) : [];
  return key !== undefined && others.length === 0 && /^[A-Za-z][\w.-]*$/.test(key) ? key : UNNAMED;
}
