import { raise } from '../errors.ts';
import { frame } from '../frame.ts';
import { payForText } from '../text/size.ts';
import { defineClass } from '../objects/classes/host.ts';
import type { HostClass } from '../objects/classes/host.ts';
import { PyBuiltin } from '../objects/classes/native.ts';
import { typeName } from '../objects/types.ts';
import type { Kwargs, Value } from '../objects/object.ts';
import { call, getAttribute } from '../objects/protocol.ts';
import { str } from '../text/repr.ts';
import { stringArgument } from './strings.ts';

type Stream = 'out' | 'err';

const streams: HostClass<Stream> = defineClass<Stream>({
  name: 'TextIOWrapper',
  module: '_io',
  attributes: {
    name: { get: (to) => `<std${to}>` },
    encoding: { get: () => 'utf-8' },
    closed: { get: () => false },
  },
  methods: {
    'write(text, /)': (to, written = null) => write(to, written),
    'flush()': () => null,
    'isatty()': () => false,
  },
});

/**
 * `sys.stdout` and `sys.stderr`: text written to them goes to the transcript of the evaluation, if
 * there is one.
 */
export const [stdout, stderr] = [streams.wrap('out'), streams.wrap('err')];

/** `print`. Without a transcript it does not look at its arguments. */
export const print = new PyBuiltin('print', (args, kwargs) => {
  payForText(args.length << 6);
  const unknown = [...(kwargs?.keys() ?? [])].find(
    (name) => !['sep', 'end', 'file', 'flush'].includes(name),
  );
  if (unknown !== undefined)
    return raise('TypeError', `'${unknown}' is an invalid keyword argument for print()`);
  const file = kwargs?.get('file') ?? null;
  if (frame.transcript === undefined && file === null) return null;
  const said = args.map(str).join(separator(kwargs, 'sep', ' ')) + separator(kwargs, 'end', '\n');
  if (file === null) write('out', said);
  else call(getAttribute(file, 'write'), [said]);
  return null;
});

function write(to: Stream, written: Value): number {
  const said = stringArgument(written, 'write() argument');
  payForText(said.length);
  frame.transcript?.print(to, said);
  return [...said].length;
}

function separator(kwargs: Kwargs | undefined, name: string, otherwise: string): string {
  const given = kwargs?.get(name) ?? null;
  if (given === null) return otherwise;
  return typeof given === 'string'
    ? given
    : raise('TypeError', `${name} must be None or a string, not ${typeName(given)}`);
}
