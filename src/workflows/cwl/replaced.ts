import { isRecord } from '../../words/record.ts';
import { processIn, processName } from './processes.ts';

/**
 * The first document of a workflow without the defaults that nobody uses, because inputs of the
 * job are in their place.
 *
 * @param fragment the process of the document that is run; undefined: the only one, or `main`
 * @param given the names of inputs that the job gives
 */
export function withoutReplaced(
  document: unknown,
  fragment: string | undefined,
  given: ReadonlySet<string>,
): unknown {
  if (given.size === 0 || !isRecord(document)) return document;
  const main = processIn(new Map([['', document]]), undefined, fragment)?.process;
  if (main === undefined) return document;
  const { $graph: graph } = document;
  const changed = { ...main, inputs: withoutDefaults(main['inputs'], given) };
  if (main === document) return changed;
  const all: readonly unknown[] = Array.isArray(graph) ? graph : [];
  return { ...document, $graph: all.map((one) => (one === main ? changed : one)) };
}

/** Inputs are a list of mappings with `id`, or a mapping by it. */
function withoutDefaults(inputs: unknown, given: ReadonlySet<string>): unknown {
  if (Array.isArray(inputs))
    return inputs.map((one: unknown) =>
      isRecord(one) && given.has(shortName(one['id'])) ? withoutDefault(one) : one,
    );
  if (!isRecord(inputs)) return inputs;
  return Object.fromEntries(
    Object.entries(inputs).map(([id, one]) => [
      id,
      given.has(shortName(id)) ? withoutDefault(one) : one,
    ]),
  );
}

/** The ask names `image` what a packed document names `#main/image`. */
function shortName(id: unknown): string {
  return processName(id).split('/').at(-1) ?? '';
}

function withoutDefault(input: unknown): unknown {
  if (!isRecord(input)) return input;
  const { default: _default, ...rest } = input;
  return rest;
}
