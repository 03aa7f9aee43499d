import { isAbsolute } from 'node:path';
import type { Node, Reader } from '../../yaml/index.ts';

/** The settings of notebooks (key `notebook` of a destination): undefined when the built-in Python executes them. */
export const readNotebookEngine = (reader: Reader, node: Node | undefined, what: string): string | undefined => {
  const map = node && reader.expectMap(node, what);
  if (map === undefined) return undefined;
  const { jupyter } = reader.expectKeys(map, what, ['jupyter']);
  const python = jupyter && reader.expectString(jupyter, `${what}.jupyter`, 'the path of a Python');
  if (jupyter === undefined || python === undefined || isAbsolute(python)) return python;
  return reader.problem(jupyter, `${what}.jupyter must be an absolute path, not '${python}'`, 'the interpreter that has nbclient, such as /usr/bin/python3');
};
