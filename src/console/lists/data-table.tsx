import type { ComponentChildren } from 'preact';

type Props = {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
  /** what is said instead of an empty table */
  readonly none?: string;
};

/**
 * A table whose first cells name the rows. Where it has no room, each row is a block and each cell
 * has its column's name above it. Roles are explicit: Safari forgets those of a table of blocks.
 */
export function DataTable({ label, columns, rows, none }: Props) {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <div class="wide list" tabIndex={0} role="group" aria-label={label}>
      <table class="full" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((name) => (
              <th key={name} scope="col" role="columnheader">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells }) => (
            <tr key={key} role="row">
              {cells.map((cell, column) =>
                column === 0 ? (
                  <th key={columns[column]} scope="row" role="rowheader">
                    {cell}
                  </th>
                ) : (
                  <td key={columns[column]} role="cell" data-label={columns[column]}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
