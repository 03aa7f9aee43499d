import { programForm } from './forms/program.ts';
import {
  LONGEST_INLINE,
  readEither,
  readSpec,
  readString,
  readStrings,
  readUrl,
} from './spec-reader.ts';
import { isRecord } from '../words/record.ts';
import { verdict, type Source, type BuiltInType } from './task.ts';

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
  parse: (spec, policy) => {
    const reader = readSpec(spec, ['program', 'source', 'arguments']);
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
          : readUrl(reader, given, policy);
    const values = reader.fields.has('arguments')
      ? readStrings(reader, 'arguments', ARGUMENTS)
      : [];
    const task =
      program && values && ({ type: 'python-program', program, arguments: values } as const);
    return verdict(task, reader.problems);
  },
};
