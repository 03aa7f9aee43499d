import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RULES_COMMANDS } from '../../../src/cli/rules/commands.ts';
import { nameAndWords } from '../../../src/cli/words.ts';
import type { Markdown } from './markdown.ts';

/**
 * A line `$ planner ...` of a `console` block and the output shown below it, up to the next one.
 */
export type Command = { readonly line: number; readonly command: string; readonly shown: string };

/** The commands of a page, in order. */
export function commandsOf({ fences }: Markdown): readonly Command[] {
  return fences
    .filter(({ words }) => words[0] === 'console')
    .flatMap(({ text, line }) => {
      const parts = `\n${text}`.split('\n$ planner ');
      let next = line + 1;
      return parts.slice(1).map((part) => {
        const [command = '', ...shown] = part.split('\n');
        const at = next;
        next += part.split('\n').length;
        return { line: at, command, shown: shown.join('\n') };
      });
    });
}

/** The named files of a page in a temporary folder. */
export type PageFolder = {
  /**
   * Runs the arguments of `planner` there.
   * @returns what it wrote to both outputs, and its exit code unless that is 0
   */
  readonly run: (command: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** Writes the blocks `yaml rules NAME` and `... file NAME` of a page to a new folder. */
export async function openPage({ fences }: Markdown): Promise<PageFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'planner-rules-'));
  const named = fences.filter(
    ({ words }) => (words[1] === 'rules' || words[1] === 'file') && words[2] !== undefined,
  );
  await Promise.all(named.map(({ words, text }) => writeFile(join(folder, words[2] ?? ''), text)));
  return {
    run: async (line) => {
      const [name, words] = nameAndWords(wordsOf(line));
      const command = Object.entries(RULES_COMMANDS).find(([known]) => known === name)?.[1];
      if (command === undefined) throw new Error(`there is no command '${name}' on rule files`);
      let printed = '';
      const write = (text: string): void => void (printed += text);
      const code = await command(words, { folder, out: write, err: write });
      return code === 0 ? printed : `${printed}(exit code ${code})\n`;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Splits words like a shell; single quotes keep a word together. */
function wordsOf(command: string): readonly string[] {
  return (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''));
}
