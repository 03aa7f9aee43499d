import { notebookForm } from './forms/notebook.ts';
import { parseNotebook, readNotebook } from './notebook-document.ts';
import { readNotebookParameters } from './parameters.ts';
import {
  LONGEST_INLINE,
  readEither,
  readSpec,
  readString,
  readUrl,
  type SpecReader,
} from './spec-reader.ts';
import { isRecord } from '../words/record.ts';
import { verdict, type Source, type BuiltInType } from './task.ts';

/**
 * `spec: { notebook: <URL> }` (2023 draft), or `spec: { content: <the notebook itself> }`;
 * `parameters` sets its variables.
 */
export const jupyterNotebook: BuiltInType<'jupyter-notebook'> = {
  name: 'jupyter-notebook',
  uri: 'https://www.purl.org/ivoa-net/task-type/jupyter-notebook',
  aliases: [
    'https://www.purl.org/ivoa.net/task-type/jupyter-notebook',
    'https://www.purl.org/ivoa.net/executable-types/jupyter-notebook',
    'uri:jupyter-notebook-1.0',
  ],
  form: notebookForm,
  parse: (spec, policy) => {
    const reader = readSpec(spec, ['notebook', 'content', 'parameters']);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const given = readEither(reader, 'notebook', 'content');
    const notebook =
      given === undefined
        ? undefined
        : given === 'content'
          ? readContent(reader)
          : readUrl(reader, given, policy);
    const parameters = readNotebookParameters(reader);
    return verdict(
      notebook && { type: 'jupyter-notebook', notebook, ...(parameters && { parameters }) },
      reader.problems,
    );
  },
};

/** Inline content: the notebook as an object of the ask, or as JSON text. */
function readContent(reader: SpecReader): Source | undefined {
  const content = reader.fields.get('content');
  const text = isRecord(content)
    ? JSON.stringify(content)
    : readString(reader, 'content', content, LONGEST_INLINE);
  if (text === undefined) return undefined;
  if (text.length > LONGEST_INLINE) {
    readString(reader, 'content', text, LONGEST_INLINE);
    return undefined;
  }
  const parsed = isRecord(content) ? readNotebook(content) : parseNotebook(text);
  if (parsed.ok) return { kind: 'inline', text };
  noteNotebook(reader, parsed.text);
  return undefined;
}

function noteNotebook(reader: SpecReader, text: string): void {
  reader.problems.push({ at: 'content', code: 'notebook-invalid', text });
}
