const lost = new WeakSet<object>();

/** Waits for what the network brings, and remembers that its errors are no mistakes of a caller. */
export async function fromNetwork<T>(coming: Promise<T>): Promise<T> {
  try {
    return await coming;
  } catch (error) {
    if (isObject(error)) lost.add(error);
    throw error;
  }
}

/** Came the error from the network? */
export function isLoss(error: unknown): boolean {
  return !isObject(error) || lost.has(error);
}

function isObject(value: unknown): value is object {
  return Object(value) === value;
}
