import { dirname } from 'node:path';
import type { Fence, Markdown } from './markdown.ts';
import { looksLike, normalised, type ShellSession } from './shell-session.ts';

const MARK = '@@ next block of Python @@';

/** A block whose output is not what its page shows. */
export type Different = {
  readonly place: string;
  readonly printed: string;
  readonly shown: string;
};

/** Runs the Python blocks of a page as one program, in an empty folder. @param python its path */
export async function differencesInPython(
  page: Markdown,
  python: string,
  session: ShellSession,
): Promise<readonly Different[]> {
  const blocks = page.fences.filter(isPython);
  const program = [...blocks.map(({ text }) => text), CHECK_PICTURES].join(`\nprint('${MARK}')\n`);
  const script = `${EMPTY_FOLDER}\nMPLBACKEND=Agg '${python}' - <<'END OF PROGRAM'\n${program}\nEND OF PROGRAM`;
  const [output = ''] = await session.run([script]);
  return differences(page, blocks, output.split(`${MARK}\n`).slice(0, blocks.length));
}

/**
 * Runs the `console` blocks of a page in one shell, line by line, in an empty folder that has the
 * page's named files. @param python its neighbours are the programs
 */
export async function differencesInConsole(
  page: Markdown,
  python: string,
  session: ShellSession,
): Promise<readonly Different[]> {
  const blocks = page.fences.filter(({ words }) => words[0] === 'console' && words.length === 1);
  const steps = blocks.map((block) => ({ ...block, ...commandOf(block) }));
  const files = page.fences
    .filter(({ words }) => words[1] === 'file' && words[2] !== undefined)
    .map(({ words, text }) => `cat > '${words[2]}' <<'END OF FILE'\n${text}END OF FILE`);
  const before = [EMPTY_FOLDER, `PATH='${dirname(python)}':$PATH`, ...files].join('\n');
  const lines = steps.map(({ command }) => `${command} 2>&1 || echo "(exit code $?)"`);
  const [, ...printed] = await session.run([before, ...lines]);
  return steps.flatMap(({ line, shown }, index) =>
    differing(`${page.file}:${line}`, printed[index] ?? '', shown),
  );
}

/** Is this run? Words behind the language say why not. */
export function isPython({ words }: Fence): boolean {
  return words[0] === 'python' && words.length === 1;
}

const EMPTY_FOLDER = `folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"`;
/** A picture that a page saves is one. */
const CHECK_PICTURES = `
import pathlib
for picture in pathlib.Path().glob('*.png'):
    content = picture.read_bytes()
    assert content.startswith(b'\\x89PNG') and len(content) > 5000, picture
`;

function commandOf({ text }: Fence): { readonly command: string; readonly shown: string } {
  const [first = '', ...shown] = text.split('\n');
  return { command: first.replace(/^\$ /, ''), shown: shown.join('\n') };
}

function differences(
  page: Markdown,
  blocks: readonly Fence[],
  printed: readonly string[],
): readonly Different[] {
  return blocks.flatMap((block, index) => {
    const next = page.fences[page.fences.indexOf(block) + 1];
    const shown = next?.words.includes('output') === true ? next.text : undefined;
    return shown === undefined
      ? []
      : differing(`${page.file}:${block.line}`, printed[index] ?? '', shown);
  });
}

function differing(place: string, printed: string, shown: string): readonly Different[] {
  if (looksLike(plain(printed), plain(shown))) return [];
  return [{ place, printed: plain(printed), shown: plain(shown) }];
}

/** Tables without what differs from day to day: ports, instants, seconds, and the widths of their columns. */
function plain(text: string): string {
  return normalised(text)
    .replaceAll(/127\.0\.0\.1:\d+/g, '<planner>')
    .replaceAll(
      /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ [A-Z][a-z]{2} \d\d:\d\d(?::\d\d)?/g,
      '<time>',
    )
    .replaceAll(/\b\d+(?:\.\d)? s\b/g, '<seconds>')
    .replaceAll(/\b\d:\d\d\b/g, '<seconds>')
    .replaceAll(/\b[0-9a-f]{8}\b/g, '<short>')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/[ \t]+$/gm, '');
}
