import type { ComponentChildren } from 'preact';

type Props = {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
  /** what is said instead of an empty table */
  readonly none: string;
};

/** A table that scrolls by itself where it is wider than the window; the first cells name the rows. */
export function DataTable({ label, columns, rows, none }: Props) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={label}>
      <table class="full">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, column) =>
                column === 0 ? (
                  <th key={columns[column]} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={columns[column]}>{cell}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
