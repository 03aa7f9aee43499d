import { readDocument } from '../src/http/body/document.ts';
import type { ThreadAnswer, ThreadTask } from '../src/http/body/documents.ts';
import { Problem } from '../src/words/problem.ts';

/** Entry point of the thread that parses long request bodies. */
export default ({ bytes, isJson, most }: ThreadTask): ThreadAnswer => {
  try {
    return { json: JSON.stringify(readDocument(bytes, isJson, most)) };
  } catch (error) {
    if (error instanceof Problem) return { refused: error.message, errors: error.details.errors };
    throw error;
  }
};
