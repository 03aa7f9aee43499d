import { until } from '../cli/service-process.ts';

/**
 * Empties the book of a service that works meanwhile. Its transactions may have locks in another
 * order, and PostgreSQL then ends one of the two.
 */
export async function emptyBook(run: (statement: string) => Promise<unknown>): Promise<void> {
  await until('the book is empty', () =>
    run('TRUNCATE ask CASCADE').then(
      () => true,
      () => undefined,
    ),
  );
}
