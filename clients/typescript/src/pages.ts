/** A part of a list. */
export type Part<T> = {
  readonly rows: readonly T[];
  /** how the next part is asked for; undefined: this is the last one */
  readonly next: string | undefined;
};

/**
 * The items of a list, whose parts are read when they are reached.
 *
 * @param read reads the part of a cursor; without one it is the first
 */
export async function* itemsOf<T>(
  read: (cursor: string | undefined) => Promise<Part<T>>,
): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const { rows, next } = await read(cursor);
    yield* rows;
    cursor = next;
  } while (cursor !== undefined);
}
