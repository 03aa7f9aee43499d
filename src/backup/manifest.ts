import type { Table } from './tables.ts';

/** The first entry of a backup. */
export const MANIFEST = 'backup.json';
export const FORMAT = 'execution-planner-backup-1';

/** The description of a backup. */
export type BackupManifest = {
  readonly format: typeof FORMAT;
  /** the clock of the database, RFC 3339 */
  readonly at: string;
  readonly migrations: readonly string[];
  readonly tables: readonly Table[];
  /** last values of the sequences */
  readonly sequences: Readonly<Record<string, string>>;
};

/** Reads a manifest. @returns undefined if the document is not one */
export function parseBackupManifest(document: unknown): BackupManifest | undefined {
  const { format, at, migrations, tables, sequences }: Record<string, unknown> = Object(document);
  if (format !== FORMAT || typeof at !== 'string' || !isTexts(migrations) || !Array.isArray(tables))
    return undefined;
  const read = tables.flatMap((table: unknown): Table[] => {
    const { name, columns }: Record<string, unknown> = Object(table);
    return typeof name === 'string' && isTexts(columns) ? [{ name, columns }] : [];
  });
  const last = Object.entries(Object(sequences)).map(
    ([name, value]) => [name, String(value)] as const,
  );
  return { format: FORMAT, at, migrations, tables: read, sequences: Object.fromEntries(last) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
