import { isRecord, textOf } from '../../words/record.ts';
import type { NotebookCell, NotebookDocument } from '../../tasks/notebook-document.ts';

/** The representations of a value, by media type. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** One output of a code cell (nbformat 4.5). */
export type CellOutput =
  | { readonly output_type: 'stream'; readonly name: string; readonly text: string }
  | { readonly output_type: 'display_data'; readonly data: MimeBundle; readonly metadata: object }
  | {
      readonly output_type: 'execute_result';
      readonly execution_count: number;
      readonly data: MimeBundle;
      readonly metadata: object;
    }
  | {
      readonly output_type: 'error';
      readonly ename: string;
      readonly evalue: string;
      readonly traceback: readonly string[];
    };

/** A cell after the execution: `count` is undefined for cells that were not executed. */
export type ExecutedCell = {
  readonly cell: NotebookCell;
  readonly count: number | undefined;
  readonly outputs: readonly CellOutput[];
};

/** The kernel's answer for one cell; `error` is one line, undefined when the cell did not raise. */
type CellRun = { readonly outputs: readonly CellOutput[]; readonly error: string | undefined };

/**
 * Reads the kernel's answer.
 * @throws SyntaxError or TypeError when it is not one (the cell broke the kernel).
 */
export function parseCellRun(json: string): CellRun {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value) || !Array.isArray(value['outputs']))
    throw new TypeError('the kernel gave no answer');
  const outputs = value['outputs'].map(parseOutput).filter((output) => output !== undefined);
  return { outputs, error: typeof value['error'] === 'string' ? value['error'] : undefined };
}

/**
 * The metadata of a notebook that Pyodide has executed.
 * @param python version of the interpreter, such as `3.14.2`
 */
export function pyodideMetadata(
  { metadata }: NotebookDocument,
  python: string,
): NotebookDocument['metadata'] {
  return {
    kernelspec: { display_name: 'Python 3 (Pyodide)', language: 'python', name: 'python3' },
    ...metadata,
    language_info: {
      name: 'python',
      version: python,
      file_extension: '.py',
      mimetype: 'text/x-python',
    },
  };
}

/** A notebook as nbformat 4.5. */
export function toNotebookJson(
  cells: readonly ExecutedCell[],
  metadata: NotebookDocument['metadata'],
): object {
  const ids = idsOf(cells);
  return {
    cells: cells.map(({ cell, count, outputs }, index) => ({
      cell_type: cell.kind,
      id: ids[index],
      metadata: cell.metadata,
      source: cell.source,
      ...(cell.attachments === undefined || cell.kind === 'code'
        ? {}
        : { attachments: cell.attachments }),
      ...(cell.kind === 'code' && { execution_count: count ?? null, outputs }),
    })),
    metadata,
    nbformat: 4,
    nbformat_minor: 5,
  };
}

function parseOutput(value: unknown): CellOutput | undefined {
  if (!isRecord(value)) return undefined;
  const data = isRecord(value['data']) ? value['data'] : {};
  switch (value['output_type']) {
    case 'stream':
      return { output_type: 'stream', name: textOf(value['name']), text: textOf(value['text']) };
    case 'display_data':
      return { output_type: 'display_data', data, metadata: {} };
    case 'execute_result':
      return {
        output_type: 'execute_result',
        execution_count: Number(value['execution_count']),
        data,
        metadata: {},
      };
    case 'error': {
      const lines = Array.isArray(value['traceback']) ? value['traceback'].map(textOf) : [];
      return {
        output_type: 'error',
        ename: textOf(value['ename']),
        evalue: textOf(value['evalue']),
        traceback: lines,
      };
    }
    default:
      return undefined;
  }
}

/** Ids must be there and unique since nbformat 4.5; older notebooks have none. */
function idsOf(cells: readonly ExecutedCell[]): readonly string[] {
  const taken = new Set<string>();
  return cells.map(({ cell }, index) => {
    const wanted = cell.id !== undefined && !taken.has(cell.id) ? cell.id : `cell-${index + 1}`;
    const id = taken.has(wanted) ? `executed-${index + 1}` : wanted;
    taken.add(id);
    return id;
  });
}
