import { isRecord } from '../words/record.ts';
import { errorText } from '../words/system-error.ts';
import { shown } from './task.ts';

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
export type ParsedNotebook =
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
  if (language === undefined) {
    const kernel = shown(kernelOf(metadata));
    return { ok: false, text: `the notebook is not written in Python: its kernel is ${kernel}` };
  }
  if (!/^i?python\d*$/.test(language))
    return { ok: false, text: `the notebook is not written in Python: it says ${shown(language)}` };
  if (isOfPython2(metadata, language))
    return { ok: false, text: 'the notebook is written in Python 2, and only Python 3 runs here' };
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

/** Tags of a cell; `raises-exception` lets the execution go on after an error, as in nbclient. */
export function tagsOf({ metadata }: NotebookCell): readonly unknown[] {
  return Array.isArray(metadata['tags']) ? metadata['tags'] : [];
}

/** Kernels of other languages, which notebooks name without the language. */
const OTHER_KERNELS = new RegExp(
  `^(?:${[
    'ir|xr|julia|scala|almond|xcpp|xc|root|bash|calysto_bash|zsh|x?octave|matlab',
    'i?java|kotlin|rust|evcxr|gophernotes|gonb|i?ruby|javascript|typescript|deno',
    'tslab|i?haskell|sas|stata|maxima|x?lua|i?perl|php|clojure|ocaml|wolframlanguage',
    'gnuplot|idl|gdl|\\.net-[a-z]+',
  ].join('|')})(?:[-_.]?\\d[\\w.-]*)?$`,
  'i',
);

function kernelOf({ kernelspec: kernel }: Readonly<Record<string, unknown>>): string {
  return isRecord(kernel) && typeof kernel['name'] === 'string' ? kernel['name'] : '';
}

/**
 * Language of the code cells, in lower case. The default is Python, as in Jupyter; undefined: the
 * kernel is that of another language.
 */
function languageOf(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const { language_info: info, kernelspec: kernel } = metadata;
  const language =
    isRecord(info) && info['name'] !== undefined
      ? info['name']
      : isRecord(kernel) && kernel['language'];
  if (typeof language === 'string' && language !== '') return language.toLowerCase();
  const isInPython = isRecord(kernel) && /python/i.test(String(kernel['display_name']));
  return OTHER_KERNELS.test(kernelOf(metadata)) && !isInPython ? undefined : 'python';
}

/** The version of the kernel that ran it last counts more than the name of the one that is wanted. */
function isOfPython2(metadata: Readonly<Record<string, unknown>>, language: string): boolean {
  const { language_info: info, kernelspec: kernel } = metadata;
  const version = isRecord(info) ? info['version'] : undefined;
  if (typeof version === 'string' && /^\d/.test(version)) return /^[12](?:\D|$)/.test(version);
  return language.endsWith('python2') || (isRecord(kernel) && kernel['name'] === 'python2');
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
