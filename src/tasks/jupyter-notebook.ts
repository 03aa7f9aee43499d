import { notebookForm } from './forms/notebook.ts';
import { parseNotebook, readNotebook } from './notebook-document.ts';
import { readNotebookParameters } from './parameters.ts';
import { notebookFault, rememberHeld, rememberNotebook } from './python-imports.ts';
import { NEED_KEYS, readNeeds } from './python-needs.ts';
import {
  LONGEST_INLINE,
  readEither,
  readSpec,
  readString,
  readHeldUrl,
  type SpecReader,
} from './spec-reader.ts';
import type { KnownSources } from '../sources/known.ts';
import { isRecord } from '../words/record.ts';
import { verdict, type Source, type BuiltInType } from './task.ts';
import type { UrlPolicy } from './url-policy.ts';

/**
 * `spec: { notebook: <URL> }` (2023 draft), or `spec: { content: <the notebook itself> }`;
 * `parameters` sets its variables; what it needs to import is in `python-needs.ts`.
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
  parse: (spec, policy, sources) => {
    const reader = readSpec(spec, ['notebook', 'content', 'parameters', ...NEED_KEYS]);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const given = readEither(reader, 'notebook', 'content');
    const notebook =
      given === undefined
        ? undefined
        : given === 'content'
          ? readContent(reader)
          : readHeld(reader, policy, sources);
    const parameters = readNotebookParameters(reader);
    const needs = readNeeds(reader, policy, sources);
    return verdict(
      notebook && {
        type: 'jupyter-notebook',
        notebook,
        ...(parameters && { parameters }),
        ...(needs && { needs }),
      },
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
  if (parsed.ok) {
    const source = { kind: 'inline', text } as const;
    rememberNotebook(source, parsed.notebook);
    return source;
  }
  noteNotebook(reader, parsed.text);
  return undefined;
}

/** The URL of a notebook, with what it holds. */
function readHeld(
  reader: SpecReader,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): Source | undefined {
  const [source, held] = readHeldUrl(reader, 'notebook', policy, sources);
  if (source === undefined || held === undefined) return source;
  const fault = held.kind === 'text' ? notebookFault(held) : undefined;
  rememberHeld(source, held);
  if (fault === undefined) return source;
  reader.problems.push({ at: 'notebook', code: 'notebook-invalid', text: fault });
  return undefined;
}

function noteNotebook(reader: SpecReader, text: string): void {
  reader.problems.push({ at: 'content', code: 'notebook-invalid', text });
}
