import { isRecord } from '../words/record.ts';

/** The value at a path such as `compute[0].cores.min`; undefined if there is none. */
export function valueAt(document: unknown, path: string): unknown {
  return stepsOf(path).reduce<unknown>(
    (value, step) =>
      typeof step === 'number'
        ? Array.isArray(value)
          ? value[step]
          : undefined
        : isRecord(value)
          ? value[step]
          : undefined,
    document,
  );
}

/**
 * A copy of a document with another value at a path. What is missing on the way is made; undefined
 * takes the value away.
 */
export function withValue<Document extends object>(
  document: Document,
  path: string,
  value: unknown,
): Document {
  return Object(changed(document, stepsOf(path), value));
}

type Step = string | number;

function stepsOf(path: string): readonly Step[] {
  return [...path.matchAll(/([^.[\]]+)/g)].map(([step]) =>
    /^\d+$/.test(step) ? Number(step) : step,
  );
}

function changed(within: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list: readonly unknown[] = Array.isArray(within) ? within : [];
    const copy = [...list];
    copy[step] = changed(list[step], rest, value);
    return value === undefined && rest.length === 0 ? list.toSpliced(step, 1) : copy;
  }
  const { [step]: inner, ...others } = isRecord(within) ? within : {};
  const next = changed(inner, rest, value);
  if (next === undefined) return others;
  // The key keeps its place among the others.
  return isRecord(within) && step in within
    ? { ...within, [step]: next }
    : { ...others, [step]: next };
}
