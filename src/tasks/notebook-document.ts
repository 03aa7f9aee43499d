import { isRecord } from '../words/record.ts';
import { errorText } from '../words/system-error.ts';

/** A cell of a notebook without the outputs of earlier executions. */
export type NotebookCell = {
  readonly kind: 'code' | 'markdown' | 'raw';
  readonly source: string;
  readonly id: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly attachments: Readonly<Record<string, unknown>> | undefined;
};

/**
 * A Python notebook in nbformat 4
 * (https://nbformat.readthedocs.io/en/latest/format_description.html).
 */
export type NotebookDocument = {
  readonly cells: readonly NotebookCell[];
  readonly metadata: Readonly<Record<string, unknown>>;
};

/** A notebook, or what is wrong with it in one sentence. */
type ParsedNotebook =
  | { readonly ok: true; readonly notebook: NotebookDocument }
  | { readonly ok: false; readonly text: string };

const MOST_CELLS = 2000;

/**
 * Checks that `value` (parsed JSON) is an nbformat-4 notebook with Python code. Cells are counted
 * from 1.
 */
export function readNotebook(value: unknown): ParsedNotebook {
  if (!isRecord(value)) return { ok: false, text: 'a notebook is a JSON object' };
  const { nbformat, cells, metadata = {} } = value;
  if (nbformat !== 4)
    return { ok: false, text: 'the notebook must be in nbformat 4 (nbformat converts others)' };
  if (!Array.isArray(cells)) return { ok: false, text: 'the notebook has no list of cells' };
  if (cells.length > MOST_CELLS)
    return { ok: false, text: `the notebook has more than ${MOST_CELLS} cells` };
  if (!isRecord(metadata))
    return { ok: false, text: 'the notebook has metadata that is not an object' };
  const language = languageOf(metadata);
  if (!/^(i?python)\d*$/.test(language))
    return { ok: false, text: 'the notebook is not written in Python' };
  const read: NotebookCell[] = [];
  for (const [index, cell] of cells.entries()) {
    const result = readCell(cell, index + 1);
    if (typeof result === 'string') return { ok: false, text: result };
    read.push(result);
  }
  return { ok: true, notebook: { cells: read, metadata } };
}

/** Reads a notebook from its text, for example a fetched file. A byte order mark is ignored. */
export function parseNotebook(text: string): ParsedNotebook {
  try {
    const value: unknown = JSON.parse(text.replace(/^\u{feff}/u, ''));
    return readNotebook(value);
  } catch (error) {
    return { ok: false, text: `not JSON: ${errorText(error)}` };
  }
}

/** Language of the code cells, in lower case. The default is Python, as in Jupyter. */
function languageOf(metadata: Readonly<Record<string, unknown>>): string {
  const { language_info: info, kernelspec: kernel } = metadata;
  const language =
    isRecord(info) && info['name'] !== undefined
      ? info['name']
      : isRecord(kernel) && kernel['language'];
  return typeof language === 'string' && language !== '' ? language.toLowerCase() : 'python';
}

function readCell(value: unknown, index: number): NotebookCell | string {
  if (!isRecord(value)) return `cell ${index} is not an object`;
  const { cell_type: kind, id, metadata = {}, attachments } = value;
  if (kind !== 'code' && kind !== 'markdown' && kind !== 'raw') {
    return `cell ${index} must have a cell_type of code, markdown or raw`;
  }
  const source = readText(value['source']);
  if (source === undefined) return `cell ${index} has no source (a string or a list of strings)`;
  if (!isRecord(metadata)) return `cell ${index} has metadata that is not an object`;
  if (attachments !== undefined && !isRecord(attachments)) {
    return `cell ${index} has attachments that are not an object`;
  }
  const cellId = typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? id : undefined;
  return { kind, source, id: cellId, metadata, attachments };
}

/** Reads a text, which nbformat writes as a string or as a list of lines with their line ends. */
function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((line) => typeof line === 'string')
    ? value.join('')
    : undefined;
}
