import { PyDict, PyList, PyTuple, repr, str } from '../../python/index.ts';
import type { Value } from '../../python/index.ts';
import { isPlainString } from '../../yaml/index.ts';
import { Ordered } from '../file/ordered.ts';
import { Spelled } from '../file/spelled.ts';
import type { EmittedNode, ScalarOut } from './yaml/document.ts';

/**
 * The layout of Python values: all in blocks with nothing for `null`, or collections of scalars in
 * braces.
 */
type Layout = { readonly inBlocks: boolean };

/** The YAML document of a Python value, as ruamel.yaml represents it. */
export function documentOf(value: Value, layout: Layout): EmittedNode {
  if (value instanceof PyList || value instanceof PyTuple) {
    const items = value.items.map((item) => documentOf(item, layout));
    return { kind: 'seq', items, flow: !layout.inBlocks && items.every(isPlainScalar) };
  }
  if (value instanceof Ordered) {
    const items = value.pairs.map((pair) => documentOf(new PyDict([[...pair]]), layout));
    return { kind: 'seq', items, flow: false, tag: '!!omap' };
  }
  if (value instanceof Spelled) return value.scalar;
  if (value instanceof PyDict) {
    const entries = value
      .pairs()
      .map(([key, item]) => [scalarOf(key, layout), documentOf(item, layout)] as const);
    return {
      kind: 'map',
      entries,
      flow: !layout.inBlocks && entries.every(([, item]) => isPlainScalar(item)),
    };
  }
  return scalarOf(value, layout);
}

/** The scalar of any value that is no list or dict. */
export function scalarOf(value: Value, { inBlocks }: Layout): ScalarOut {
  if (typeof value === 'string') return textScalar(value);
  return { kind: 'scalar', text: plainText(value, inBlocks), style: 'any', isPlain: true };
}

/** A string, in quotes where its plain text would mean something else. */
export function textScalar(text: string): ScalarOut {
  return { kind: 'scalar', text, style: 'any', isPlain: isPlainString(text) };
}

function isPlainScalar(node: EmittedNode): boolean {
  return node.kind === 'scalar';
}

function plainText(value: Value, inBlocks: boolean): string {
  if (value === null) return inBlocks ? '' : 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  const text = repr(value);
  if (text === 'inf') return '.inf';
  if (text === '-inf') return '-.inf';
  if (text === 'nan') return '.nan';
  if (/^-?\d+e/.test(text)) return text.replace('e', '.0e');
  return /^-?[\d.]+(?:e[-+]?\d+)?$/.test(text) ? text : str(value);
}
