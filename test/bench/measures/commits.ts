import { withConnections } from './book.ts';
import { measureLoop, type Series } from '../sample.ts';

/** The floor of all writes: one row, one commit, with fsync. */
export function commits(url: string, amount: number): readonly Series[] {
  return [1, 8, 32].map((connections) => ({
    name: `SQL: one-row commit, ${connections} connections`,
    measure: () =>
      withConnections(url, connections, async ({ of }) => {
        await of(0).query('CREATE TABLE IF NOT EXISTS bench_row (at timestamptz)');
        await of(0).query('TRUNCATE bench_row');
        const insert = 'INSERT INTO bench_row VALUES (now())';
        return measureLoop(Array(amount).fill(0), connections, (_, worker) =>
          of(worker).query(insert),
        );
      }),
  }));
}
