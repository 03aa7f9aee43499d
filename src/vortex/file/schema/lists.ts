import { PyDict, PyList, str } from '../../../python/index.ts';
import type { Value } from '../../../python/index.ts';
import type { Node } from '../../../yaml/index.ts';
import type { FileReader } from '../file-reader.ts';
import { EMPTY } from './fields.ts';
import type { Fields } from './fields.ts';
import { fromNode } from '../../values.ts';

/** `env`: a mapping, whose values become text by Python's str(), or a list of mappings of text. */
export function readEnv({ get, what, read }: Fields, lazily: boolean): PyList | null {
  const node = get('env');
  if (node === undefined || node.kind === 'null') return null;
  read.strings(node, lazily, { what, key: 'env' });
  if (node.kind === 'map') {
    const variables = read.entries(node, `'env' of ${what}`);
    return new PyList(
      variables.map(
        ({ name, value }) =>
          new PyDict([
            ['name', name],
            ['value', str(fromNode(value))],
          ]),
      ),
    );
  }
  const list = read.expectSeq(node, `'env' of ${what}`);
  return list === undefined
    ? null
    : new PyList(list.items.map((item) => readEnvEntry(item, what, read)));
}

/** `resubmit`: handlers by name, each a mapping of scalars. */
export function readResubmit(fields: Fields, lazily: boolean): PyDict | null {
  const { get, what, read } = fields;
  const node = get('resubmit');
  if (node === undefined) return new PyDict();
  const map = read.expectMap(node, `'resubmit' of ${what}`) ?? EMPTY;
  for (const { name, value } of read.entries(map, `'resubmit' of ${what}`)) {
    const handler = read.expectMap(value, `'${name}' in 'resubmit' of ${what}`);
    for (const entry of handler?.entries ?? []) {
      const isScalar =
        entry.value.kind !== 'map' && entry.value.kind !== 'seq' && entry.value.kind !== 'date';
      if (!isScalar)
        read.problem(
          entry.value,
          `values in '${name}' in 'resubmit' of ${what} must be text or numbers`,
        );
    }
  }
  read.strings(node, lazily, { what, key: 'resubmit' });
  return new PyDict(
    read.entries(map, `'resubmit' of ${what}`).map(({ name, value }) => [name, readHandler(value)]),
  );
}

function readEnvEntry(item: Node, what: string, read: FileReader): PyDict {
  const label = `an element of 'env' of ${what}`;
  return new PyDict(
    read
      .entries(item, label)
      .map(({ name, value }) => [
        name,
        read.expectString(value, `'${name}' of ${label}`, 'write it in quotes') ?? '',
      ]),
  );
}

/** TPV reads the values of a handler as text or numbers: true is 1. */
function readHandler(node: Node): Value {
  if (node.kind !== 'map') return null;
  return new PyDict(
    node.entries.map(({ key, value }) => [
      fromNode(key),
      value.kind === 'bool' ? Number(value.value) : fromNode(value),
    ]),
  );
}
