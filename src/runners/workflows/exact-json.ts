// The library of types does not have these of ECMAScript 2026 yet.
declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * What a JSON document holds, with numbers that stay as they are written when it is JSON again,
 * such as 10^42 in digits, which a double is not; undefined if it is none.
 */
export function parsedExactJson(text: string): unknown {
  try {
    return JSON.parse(text, exact);
  } catch {
    return undefined;
  }
}

/** Is it a number that {@link parsedExactJson} left as it is written? */
export function isExactNumber(value: unknown): boolean {
  return JSON.isRawJSON(value);
}

function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  return typeof value !== 'number' || source === undefined || String(value) === source
    ? value
    : JSON.rawJSON(source);
}
