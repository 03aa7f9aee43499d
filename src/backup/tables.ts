import type { Client } from 'pg';

/**
 * A table of ours with its written columns; tables are in an order in which their rows can be
 * loaded.
 */
export type Table = { readonly name: string; readonly columns: readonly string[] };

/**
 * Tables that belong to a running service, or that migrations fill, and sign-ins: a restored one
 * may have ended since. The sweeper resends lost messages of the queue.
 */
const LEFT_OUT = ['_prisma_migrations', 'executor', 'duty', 'sign_in'];

const TABLES = `
  SELECT c.relname AS name, json_agg(a.attname ORDER BY a.attnum) AS columns,
    (SELECT coalesce(json_agg(r.relname), '[]') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
          WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS needs
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  AND a.attgenerated = ''
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND c.relname <> ALL ($1)
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  GROUP BY c.oid, c.relname ORDER BY c.relname`;

type Row = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly needs: readonly string[];
};

export async function tablesOf(client: Client): Promise<readonly Table[]> {
  const { rows } = await client.query<Row>(TABLES, [LEFT_OUT]);
  return inOrder(rows).map(({ name, columns }) => ({ name, columns }));
}

/** Quotes a name for SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The migrations of a database. */
export async function migrationsOf(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM "_prisma_migrations" WHERE finished_at IS NOT NULL ORDER BY 1',
  );
  return rows.map(({ name }) => name);
}

/** Sorts tables so that each comes after those that it refers to. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  const placed = new Set<string>();
  const order: Row[] = [];
  for (let left = rows; left.length > 0; left = left.filter(({ name }) => !placed.has(name))) {
    const next = left.filter(({ needs }) =>
      needs.every((name) => placed.has(name) || LEFT_OUT.includes(name)),
    );
    if (next.length === 0)
      throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(', ')}`);
    for (const row of next) placed.add(row.name);
    order.push(...next);
  }
  return order;
}
