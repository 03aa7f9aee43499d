import { clientOf, connectMany } from './book.ts';
import { measureLoop, type Series } from './sample.ts';

/** The floor of everything that writes: one row, one commit, with fsync. */
export const commits = (url: string, amount: number): readonly Series[] =>
  [1, 8, 32].map((connections) => ({
    name: `SQL: one-row commit, ${connections} connections`,
    measure: async () => {
      const pool = await connectMany(url, connections);
      try {
        await clientOf(pool, 0).query('CREATE TABLE IF NOT EXISTS bench_row (at timestamptz)');
        await clientOf(pool, 0).query('TRUNCATE bench_row');
        return await measureLoop(Array(amount).fill(0), connections, (_, worker) => clientOf(pool, worker).query('INSERT INTO bench_row VALUES (now())'));
      } finally {
        await pool.close();
      }
    },
  }));
