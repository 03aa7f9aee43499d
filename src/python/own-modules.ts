import { lineAt, partsOf, type SourcePiece } from './source-parts.ts';

/** What a source does so that what it imports may be there although nobody installed it. */
export type OwnModules = {
  /** the line that installs packages */
  readonly installs: number | undefined;
  /** the line that changes where Python looks for modules */
  readonly looks: number | undefined;
  /** the line that imports by a name that it makes */
  readonly makes: number | undefined;
  /** modules whose files it names, because it may write or fetch them */
  readonly files: ReadonlySet<string>;
};

/** What a source in Python does; it may have lines of IPython. */
export function ownModulesOf(source: string): OwnModules {
  const { code, strings, comments, commands } = partsOf(source);
  const runs = RUNS.test(code);
  const named = [...strings, ...comments, ...commands];
  // A string with spaces is a sentence, or a command if anything runs it, or begins as paths do.
  const isPath = ({ text }: SourcePiece): boolean => runs || !/\s/.test(text) || PATH.test(text);
  const paths = [...commands, ...strings.filter(isPath)];
  const installer =
    commands.find(({ text }) => installsByCommand(text)) ??
    (runs ? installingString(strings) : undefined);
  const goes = commands.find(({ text }) => /^%cd\b/.test(text));
  return {
    installs: first(lineOf(code, code.search(INSTALLS)), lineOf(source, installer?.at)),
    looks: first(lineOf(code, placeOfLooks(code)), lineOf(source, goes?.at)),
    makes: lineOf(code, code.search(MAKES)),
    files: filesIn(named, paths),
  };
}

/** What a cell does that is in another language, such as that of a shell. */
export function ownModulesOfCommands(text: string): OwnModules {
  const whole = [{ text, at: 0 }];
  return {
    installs: !NEVER_RUNS.test(text) && installsByCommand(text) ? 1 : undefined,
    looks: undefined,
    makes: undefined,
    files: filesIn(whole, whole),
  };
}

/** Cells that only a browser reads, and those that are only written. */
const NEVER_RUNS =
  /^%%(?:html|markdown|latex|svg|javascript|js|writefile|file|script[ \t]+false)\b/i;

const INSTALLS = /\bfrom[ \t]+pip\b|\bimport[ \t]+(?:[\w.]{1,99},[ \t]{0,9}){0,9}pip\b/;
/** What starts a command, or a module by its name. */
const RUNS = new RegExp(
  [
    'subprocess',
    '\\b(?:popen|Popen|get_ipython|runpy|os\\s*\\.\\s*(?:system|exec\\w*|spawn\\w*))\\b',
    '(?<!\\bplatform\\.)\\bsystem\\s*\\(',
  ].join('|'),
);
const PATH = /^["']+(?:~|\.{0,2}\/)/;
// In astronomy `uv` is more often a plane.
const INSTALLER = '(?:pip[\\d.]*|conda|mamba|micromamba|uv\\s+(?:pip|add|sync)\\b)';
const TELLS = '\\s+(?:(?:env\\s+)?list|show|freeze|check|info|search|config|--version|-V)\\b';
/** The start of a command, or one that another one starts; not where it only tells something. */
const COMMAND = new RegExp(
  `(?:^[!%]?|[\\n;&|!]|\\bsudo|\\s-m|^%(?:sx|system))[ \\t(]*(?:[\\w.~/-]{0,100}/)?${INSTALLER}` +
    `(?=\\s)(?!${TELLS})|\\b${INSTALLER}\\s+install\\b`,
);
/** One that has a command. */
const COMMAND_STRING = new RegExp(
  `(?:^["']+|[\\s;&|=(/])(?:(?:pip[\\d.]*|conda|mamba|micromamba|uv\\s+pip)` +
    `(?:\\s+-\\S{1,40}){0,8}\\s+install|uv\\s+(?:add|sync))\\b|\\s-m\\s+pip\\b(?!${TELLS})`,
);
/** Words of a command. */
const INSTALLER_WORD = /^["']+(?:\S{0,100}\/)?(?:pip[\d.]*|conda|mamba|micromamba)\s*["']/;
const INSTALL_WORD = /^["']+\s*(?:install|create|update)\b/;

const LOOKS =
  /(?<!\bin\s|\bprint\()\bsys\s*\.\s*(?:path|meta_path|path_hooks|modules)\b|\baddsitedir\b|\bchdir\b/;
const MAKES = /\b(?:__import__|import_module)[ \t]*\(/;
const FROM_SYS = /\bfrom\s+sys\s+import\b\s*(?:\(([^)]*)|([^\n;]*))/g;
const LOOKED_AT = /\*|\b(?:path|meta_path|path_hooks|modules)\b/;

/**
 * Names before `.py`, but not that of `matplotlib.pyplot`; it looks back from there, which takes no
 * more time than the text.
 */
const FILES = /\.py(?![\p{ID_Continue}])(?<=([\p{ID_Continue}]{1,100})\.py)/gu;
const FOLDERS = /\/(?<=([\p{ID_Continue}]{1,100})\/)/gu;
/** What is behind the scheme of a URL lies elsewhere. */
const ELSEWHERE = /:\/\/\S*/g;

function installsByCommand(text: string): boolean {
  return COMMAND.test(text.replaceAll(/(?<=\s)#[^\n]*/g, ''));
}

function installingString(strings: readonly SourcePiece[]): SourcePiece | undefined {
  const isWithWord = strings.some(({ text }) => INSTALL_WORD.test(text));
  return strings.find(
    ({ text }) => COMMAND_STRING.test(text) || (isWithWord && INSTALLER_WORD.test(text)),
  );
}

function placeOfLooks(code: string): number {
  for (const { 1: inBrackets, 2: inLine, index } of code.matchAll(FROM_SYS))
    if (LOOKED_AT.test(inBrackets ?? inLine ?? '')) return index;
  return code.search(LOOKS);
}

function filesIn(
  named: readonly SourcePiece[],
  paths: readonly SourcePiece[],
): ReadonlySet<string> {
  const local = textOf(paths).replaceAll(ELSEWHERE, '');
  return new Set(
    [...textOf(named).matchAll(FILES), ...local.matchAll(FOLDERS)].flatMap(
      ([, name]) => name ?? [],
    ),
  );
}

function textOf(pieces: readonly SourcePiece[]): string {
  return pieces.map(({ text }) => text).join('\n');
}

function lineOf(text: string, at: number | undefined): number | undefined {
  return at === undefined || at === -1 ? undefined : lineAt(text, at);
}

function first(...lines: readonly (number | undefined)[]): number | undefined {
  const known = lines.filter((line) => line !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
