import { tagsOf, type NotebookCell, type NotebookDocument } from '../../tasks/notebook-document.ts';
import type { NotebookValue, NotebookParameters } from '../../tasks/parameters.ts';

/**
 * Tags of papermill's convention
 * (https://papermill.readthedocs.io/en/latest/usage-parameterize.html).
 */
const DEFAULTS = 'parameters';
const INJECTED = 'injected-parameters';

/** A value as Python writes it. The escapes of JSON's strings mean the same in Python's. */
export function pythonLiteral(value: NotebookValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item)}`)
    .join(', ')}}`;
}

/**
 * The notebook with a cell that sets its parameters: in place of the one that an earlier run left,
 * after the cell with their defaults (tag `parameters`), or before all others.
 */
export function withParameters(
  notebook: NotebookDocument,
  parameters: NotebookParameters,
): NotebookDocument {
  const { cells } = notebook;
  const indexOf = (tag: string): number =>
    cells.findIndex((cell) => cell.kind === 'code' && tagsOf(cell).includes(tag));
  const earlier = indexOf(INJECTED);
  const at = earlier === -1 ? indexOf(DEFAULTS) + 1 : earlier;
  return {
    ...notebook,
    cells: [
      ...cells.slice(0, at),
      cellOf(parameters),
      ...cells.slice(earlier === -1 ? at : at + 1),
    ],
  };
}

/**
 * An integer that a double cannot hold exactly becomes a float: JSON readers do not keep it as an
 * integer either.
 */
function numberText(value: number): string {
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? value.toExponential()
    : Object.is(value, -0)
      ? '-0.0'
      : String(value);
}

function isList(value: NotebookValue): value is readonly NotebookValue[] {
  return Array.isArray(value);
}

function cellOf(parameters: NotebookParameters): NotebookCell {
  return {
    kind: 'code',
    id: INJECTED,
    metadata: { tags: [INJECTED] },
    attachments: undefined,
    source: [
      '# Parameters',
      ...Object.entries(parameters).map(([name, value]) => `${name} = ${pythonLiteral(value)}`),
    ].join('\n'),
  };
}
