import { compileTree } from './program.ts';
import type { Program } from './program.ts';
import { onlyLooks } from './looking.ts';
import { parse } from './syntax/parse.ts';

/** A snippet that is only `object.attribute['key'] = value`, where `value` changes nothing. */
export type ItemAssignment = {
  readonly object: string;
  readonly attribute: string;
  readonly key: string;
  readonly value: Program;
};

/** @throws PySyntaxError */
export function itemAssignment(source: string): ItemAssignment | undefined {
  const [statement, ...more] = parse(source, 'exec').body;
  if (statement?.kind !== 'assign' || more.length > 0 || statement.targets.length > 1)
    return undefined;
  const { targets, value } = statement;
  const [target] = targets;
  if (target?.kind !== 'subscript' || target.object.kind !== 'attribute') return undefined;
  const { object, name: attribute } = target.object;
  if (object.kind !== 'name' || target.index.kind !== 'string') return undefined;
  const tree = { body: [], value };
  if (!onlyLooks(tree)) return undefined;
  return { object: object.id, attribute, key: target.index.value, value: compileTree(tree) };
}
