import { programForm } from './forms/program.ts';
import { rememberHeld } from './python-imports.ts';
import { NEED_KEYS, readNeeds } from './python-needs.ts';
import {
  LONGEST_INLINE,
  readEither,
  readSpec,
  readString,
  readStrings,
  readHeldUrl,
  type SpecReader,
} from './spec-reader.ts';
import type { KnownSources } from '../sources/known.ts';
import { isRecord } from '../words/record.ts';
import { verdict, type Source, type BuiltInType } from './task.ts';
import type { UrlPolicy } from './url-policy.ts';

const ARGUMENTS = { most: 1000, longest: 10_000 };

/**
 * `spec: { program: <URL>, arguments: [...] }`, or `source` with the text of the program instead of
 * `program`.
 */
export const pythonProgram: BuiltInType<'python-program'> = {
  name: 'python-program',
  uri: 'https://www.purl.org/ivoa-net/task-type/python-program',
  aliases: [
    'https://www.purl.org/ivoa.net/task-type/python-program',
    'https://www.purl.org/ivoa.net/executable-types/python-program',
    'uri:python-program-1.0',
  ],
  form: programForm,
  parse: (spec, policy, sources) => {
    const reader = readSpec(spec, ['program', 'source', 'arguments', ...NEED_KEYS]);
    if (!isRecord(spec)) return verdict(undefined, reader.problems);
    const readSource = (): Source | undefined => {
      const text = readString(reader, 'source', reader.fields.get('source'), LONGEST_INLINE);
      return text === undefined ? undefined : { kind: 'inline', text };
    };
    const given = readEither(reader, 'program', 'source');
    const program =
      given === undefined
        ? undefined
        : given === 'source'
          ? readSource()
          : readProgramUrl(reader, policy, sources);
    const values = reader.fields.has('arguments')
      ? readStrings(reader, 'arguments', ARGUMENTS)
      : [];
    const needs = readNeeds(reader, policy, sources);
    const task =
      program &&
      values &&
      ({ type: 'python-program', program, arguments: values, ...(needs && { needs }) } as const);
    return verdict(task, reader.problems);
  },
};

/** The URL of a program, with what it holds. */
function readProgramUrl(
  reader: SpecReader,
  policy: UrlPolicy,
  sources: KnownSources | undefined,
): Source | undefined {
  // Nobody waits for code that its client does not want to be checked.
  const wanted = reader.fields.get('check-imports') === false ? undefined : sources;
  const [source, held] = readHeldUrl(reader, 'program', policy, wanted);
  if (source !== undefined && held !== undefined) rememberHeld(source, held);
  return source;
}
