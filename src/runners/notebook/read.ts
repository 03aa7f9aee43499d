import { isAbsolute } from 'node:path';
import type { NotebookEngine } from './kind.ts';
import type { Node, Reader } from '../../yaml/index.ts';
import { readIsolation } from '../reading/isolation.ts';
import type { EngineNode } from '../reading/values.ts';

/** The settings of notebooks (key `notebook` of a destination). */
export function readNotebookEngine({ reader, node, what }: EngineNode): NotebookEngine {
  const found = reader.fields(node, what, ['jupyter', 'isolation']);
  if (found === undefined) return { jupyter: undefined };
  const isolation = readIsolation(reader, found.isolation, what);
  return {
    jupyter: found.jupyter && readJupyter(reader, found.jupyter, `${what}.jupyter`),
    ...(isolation && { isolation }),
  };
}

function readJupyter(reader: Reader, node: Node, what: string): string | undefined {
  const python = reader.expectString(node, what, 'the path of a Python');
  if (python === undefined || isAbsolute(python)) return python;
  return reader.problem(
    node,
    `${what} must be an absolute path, not '${python}'`,
    'the interpreter that has nbclient, such as /usr/bin/python3',
  );
}
