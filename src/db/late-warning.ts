/**
 * Waits for a statement, and tells when it is late.
 *
 * @param isLate called once, when it takes longer than so many milliseconds
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
