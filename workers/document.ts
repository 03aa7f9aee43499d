import { workerData } from 'piscina';
import { readDocument } from '../src/http/body/document.ts';
import type { ThreadAnswer, ThreadStart, ThreadTask } from '../src/http/body/documents.ts';
import { Problem } from '../src/words/problem.ts';
import { openMapping, type XmlMapping } from '../src/xml/mapping.ts';

let mapping: XmlMapping | undefined;

/** Entry point of the thread that parses long request bodies. */
export default ({ bytes, format, at, most }: ThreadTask): ThreadAnswer => {
  try {
    const documents = at && mappingOnce().sent(at.method, at.path);
    return { json: JSON.stringify(readDocument(bytes, format, most, documents)) };
  } catch (error) {
    if (error instanceof Problem) return { refused: error.message, errors: error.details.errors };
    throw error;
  }
};

function mappingOnce(): XmlMapping {
  const { contract }: ThreadStart = workerData;
  return (mapping ??= openMapping(contract));
}
