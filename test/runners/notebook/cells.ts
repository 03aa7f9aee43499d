import { workload } from '../workloads.ts';
import type { Workload } from '../../../src/runners/port.ts';
import type { NotebookParameters as Values } from '../../../src/tasks/parameters.ts';

/** A cell of a notebook of a test: code, text, or code with tags. */
export type Cell =
  | string
  | { readonly markdown: string }
  | { readonly code: string; readonly tags: readonly string[] };

/** The text of a notebook. */
export function notebookOf(...cells: readonly Cell[]): string {
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 4,
    metadata: {},
    cells: cells.map((cell) => {
      if (typeof cell === 'string')
        return {
          cell_type: 'code',
          metadata: {},
          source: cell,
          outputs: [],
          execution_count: null,
        };
      if ('markdown' in cell)
        return { cell_type: 'markdown', metadata: {}, source: [cell.markdown] };
      return {
        cell_type: 'code',
        metadata: { tags: cell.tags },
        source: cell.code,
        outputs: [],
        execution_count: 9,
      };
    }),
  });
}

type Asked = NonNullable<Parameters<typeof workload>[1]> & { readonly parameters?: Values };

/** A job with a notebook in the ask. */
export function inlineNotebook(text: string, { parameters, ...asked }: Asked = {}): Workload {
  return workload(
    {
      type: 'jupyter-notebook',
      notebook: { kind: 'inline', text },
      ...(parameters && { parameters }),
    },
    { wallTime: 300, ...asked },
  );
}
