import type { MapNode, Node, Reader } from './index.ts';

/** A mapping as plain data. */
type Block = Readonly<Record<string, unknown>>;

/** A mapping as plain data, for readers that know its keys. */
export function blockOf(reader: Reader, node: MapNode, what: string): Block {
  return Object.fromEntries(
    reader
      .entries(node, what)
      .map(({ name, value }) => [name, valueOf(reader, value, `${what}.${name}`)]),
  );
}

function valueOf(reader: Reader, node: Node, what: string): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'seq':
      return node.items.map((item, index) => valueOf(reader, item, `${what}[${index}]`));
    case 'map':
      return blockOf(reader, node, what);
    case 'int':
      return Number(node.value);
    case 'bool':
    case 'float':
    case 'string':
    case 'date':
      return node.value;
    default:
      return node satisfies never;
  }
}
