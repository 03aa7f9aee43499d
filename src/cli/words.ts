import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { errorCode } from '../words/system-error.ts';

/** The arguments of a command are wrong. */
export class Misused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Misused';
  }
}

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * The options and files of a command. Options in `lists` take every word up to the next option, as
 * in TPV (`--roles a b`). `-v` may be repeated and is counted.
 * @throws Misused
 */
export function readWords<O extends Options>(
  words: readonly string[],
  options: O,
  lists: readonly string[] = [],
) {
  try {
    const verbose = { verbose: { type: 'boolean', short: 'v', multiple: true } } as const;
    const { values, positionals } = parseArgs({
      args: spread(words, lists),
      options: { ...verbose, ...options },
      allowPositionals: true,
    });
    const count = words.reduce(
      (sum, word) => sum + (word === '--verbose' ? 1 : (/^-(v+)$/.exec(word)?.[1]?.length ?? 0)),
      0,
    );
    return { values, files: positionals, verbosity: count };
  } catch (error) {
    // Node adds advice about arguments that begin with a dash, which no command takes.
    throw isParseError(error)
      ? new Misused(error.message.replace(/\. To specify a positional.*/s, ''))
      : error;
  }
}

/**
 * The arguments of a command without options, at least `least` and at most `most`. @throws Misused
 */
export function readPlain(
  words: readonly string[],
  { least = 0, most = least }: { readonly least?: number; readonly most?: number },
): readonly string[] {
  const option = words.find((word) => word.startsWith('-') && word !== '-');
  if (option !== undefined) throw new Misused(`Unknown option '${option}'`);
  const surplus = words[most];
  if (surplus !== undefined) throw new Misused(`'${surplus}' is one word too many`);
  if (words.length < least)
    throw new Misused(`${least === 1 ? 'a word is' : `${least} words are`} missing`);
  return words;
}

/** The name and the other words; `-v` may come before the name, as in TPV, or behind it. */
export function nameAndWords(words: readonly string[]): readonly [string, readonly string[]] {
  const at = words.findIndex((word) => !/^-v+$|^--verbose$/.test(word));
  if (at < 0) return ['', words];
  return [words[at] ?? '', [...words.slice(0, at), ...words.slice(at + 1)]];
}

/** `--roles a b` becomes `--roles=a --roles=b`. @throws Misused for an option without words */
function spread(words: readonly string[], lists: readonly string[]): string[] {
  let list: string | undefined;
  return words.flatMap((word, index) => {
    if (word.startsWith('-')) {
      list = lists.includes(word) ? word : undefined;
      if (list === undefined) return [word];
      if (words[index + 1]?.startsWith('-') ?? true)
        throw new Misused(`${word} expects at least one word`);
      return [];
    }
    return [list === undefined ? word : `${list}=${word}`];
  });
}

function isParseError(error: unknown): error is { readonly message: string } {
  return errorCode(error)?.startsWith('ERR_PARSE_ARGS') === true;
}
