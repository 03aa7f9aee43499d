/**
 * Waits for a statement, and reports when it is late.
 *
 * @param isLate called once, when the limit in milliseconds has passed
 */
export async function warnWhenLate<Result>(
  statement: Promise<Result>,
  ms: number,
  isLate: () => void,
): Promise<Result> {
  const timer = setTimeout(isLate, ms);
  try {
    return await statement;
  } finally {
    clearTimeout(timer);
  }
}
