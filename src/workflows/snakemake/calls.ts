import { MOST_REFERENCES } from '../gather.ts';
import { argumentsIn } from './arguments.ts';
import type { Line } from './lines.ts';

/** A file that a Snakefile names in a call, as text. */
export type CalledFile = { readonly name: string; readonly path: string };

/**
 * The schemas of `validate(config, schema="config.schema.yaml")`, and the files of
 * `workflow.source_path("plot.R")`: they lie beside the Snakefile. What is computed is none.
 */
export function calledFiles(lines: readonly Line[]): readonly CalledFile[] {
  const code = lines.map((line) => line.code).join(' ');
  const strings = lines.flatMap((line) => line.strings);
  const files: CalledFile[] = [];
  let [count, calls] = [0, 0];
  for (const { 0: found, 1: name, index } of code.matchAll(CALL_OR_STRING)) {
    if (name === undefined) count += 1;
    else {
      calls += 1;
      if (calls > MOST_REFERENCES) break;
      const words = argumentsAt(code, index + found.length);
      const at = words.findIndex((word, place) => isPath(word, place, name));
      const path = at === -1 ? undefined : strings[count + stringsIn(words.slice(0, at))];
      if (path !== undefined && (name !== VALIDATE || OF_SCHEMA.test(path)))
        files.push({ name: name.replaceAll(/\s/g, ''), path });
    }
  }
  return files;
}

const VALIDATE = 'validate';
/** Authors have functions of that name, too. */
const OF_SCHEMA = /\.(?:ya?ml|json)$/;
const CALL_OR_STRING = /(?<![\w.])(validate|workflow\s*\.\s*source_path)\s*\(|''/g;
const LITERAL = /^\s*(?:(\w{1,20})\s*=\s*)?''\s*$/;
/** The argument that has the path. */
const OF_VALIDATE = { key: 'schema', place: 1 };
const OF_SOURCE = { key: 'rel_path', place: 0 };

function isPath(word: string, place: number, name: string): boolean {
  const { key, place: own } = name === VALIDATE ? OF_VALIDATE : OF_SOURCE;
  const literal = LITERAL.exec(word);
  return literal !== null && (literal[1] === undefined ? place === own : literal[1] === key);
}

/** Code of a call is short. */
const LONGEST = 2000;

/** The arguments of the call whose bracket is before a place. */
function argumentsAt(code: string, start: number): readonly string[] {
  const { words, isClosed } = argumentsIn(code.slice(start, start + LONGEST));
  return isClosed ? words : [];
}

function stringsIn(words: readonly string[]): number {
  return words.join(',').split(`''`).length - 1;
}
