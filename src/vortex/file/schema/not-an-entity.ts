import { describe } from '../../../yaml/index.ts';
import type { Node } from '../../../yaml/index.ts';
import type { FileReader } from '../file-reader.ts';
import type { EntityKind } from '../../entity/properties.ts';

/** Reports a body that is no mapping, with the Python error that it causes in TPV. */
export function notAnEntity(
  kind: EntityKind,
  node: Node,
  what: string,
  read: FileReader,
): undefined {
  if (node.kind === 'null') {
    const code = kind === 'rule' ? 'ValidationError' : 'TypeError';
    return read.problem(
      node,
      `${what} is empty`,
      'write {} for an entity without properties',
      code,
    );
  }
  return read.problem(
    node,
    `${what} must be a mapping, not ${describe(node)}`,
    undefined,
    lacking(kind, node),
  );
}

function lacking(kind: EntityKind, node: Node): string {
  if (
    (node.kind === 'seq' && node.items.length === 0) ||
    (node.kind === 'string' && node.value === '')
  )
    return 'ValidationError';
  if (node.kind === 'seq' || node.kind === 'string') return 'AttributeError';
  if (kind !== 'rule') return 'TypeError';
  const isZero =
    (node.kind === 'int' || node.kind === 'float' || node.kind === 'bool') &&
    Number(node.value) === 0;
  return isZero ? 'ValidationError' : 'AttributeError';
}
