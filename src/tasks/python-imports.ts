import { importsIn } from '../python/imports.ts';
import { ownModulesOf, ownModulesOfCommands } from '../python/own-modules.ts';
import type { HeldText, ReadSource, UnreadSource } from '../sources/known.ts';
import { rememberLatest } from '../sources/latest.ts';
import {
  parseNotebook,
  tagsOf,
  type NotebookDocument,
  type ParsedNotebook,
} from './notebook-document.ts';
import type { NotebookTask, ProgramTask, Source } from './task.ts';

/** A module that a task imports whatever happens; cells and lines count from 1. */
export type ImportNeed = {
  readonly module: string;
  /** of a notebook */
  readonly cell: number | undefined;
  readonly line: number;
};

/** An import that nobody can judge, and why not. */
export type UncheckedImport = ImportNeed & { readonly why: string };

/** What the code of a task imports, as far as it was read. */
export type CodeImports = {
  /** without these it cannot do */
  readonly needs: readonly ImportNeed[];
  readonly unchecked: readonly UncheckedImport[];
  /** sentences about what nobody can know before it runs */
  readonly doubts: readonly string[];
};

/** Keeps a notebook that was just read, so that nobody has to read it again. */
export function rememberNotebook(source: Source, notebook: NotebookDocument): void {
  notebooks.set(source, notebook);
}

/** Keeps what the URL of a task holds, or why that is not known. */
export function rememberHeld(source: Source, held: ReadSource): void {
  heldBy.set(source, held);
}

/** What is wrong with a notebook that was read from its URL; undefined: it can be executed. */
export function notebookFault({ text }: HeldText): string | undefined {
  return readNotebookText(text).fault;
}

/** Why nobody knows what a task imports, although its client wants that to be checked. */
export function unreadCode(task: NotebookTask | ProgramTask): UnreadSource | undefined {
  if (task.needs?.checkImports === false) return undefined;
  const held = heldBy.get(sourceOf(task));
  return held?.kind === 'unread' ? held : undefined;
}

/**
 * What a task imports, as far as its code was read. Code that brings modules, or changes where
 * Python looks for them, imports what only it knows.
 */
export function importsOfTask(task: NotebookTask | ProgramTask): CodeImports {
  if (task.needs?.checkImports === false) return NO_IMPORTS;
  const source = sourceOf(task);
  const text = textOf(source);
  if (text === undefined) return NO_IMPORTS;
  if (task.type === 'jupyter-notebook')
    return readNotebookText(text, notebooks.get(source)).imports;
  return programs(text, () => importsOf(text, () => [{ text, cell: undefined, tags: [] }]));
}

/** The key of the spec with the code. */
export function codeKey(task: NotebookTask | ProgramTask): string {
  const isInline = sourceOf(task).kind === 'inline';
  if (task.type === 'jupyter-notebook') return isInline ? 'content' : 'notebook';
  return isInline ? 'source' : 'program';
}

/** What is known of a notebook. */
type NotebookFacts = { readonly fault: string | undefined; readonly imports: CodeImports };

const NO_IMPORTS: CodeImports = { needs: [], unchecked: [], doubts: [] };

const notebooks = new WeakMap<Source, NotebookDocument>();
const heldBy = new WeakMap<Source, ReadSource>();

/** Characters of code: twice the largest that is read. */
const REMEMBERED = 8_000_000;
const programs = rememberLatest<CodeImports>(REMEMBERED);
const facts = rememberLatest<NotebookFacts>(REMEMBERED);

function sourceOf(task: NotebookTask | ProgramTask): Source {
  return task.type === 'jupyter-notebook' ? task.notebook : task.program;
}

function textOf(source: Source): string | undefined {
  if (source.kind === 'inline') return source.text;
  const held = heldBy.get(source);
  return held?.kind === 'text' ? held.text : undefined;
}

/** @param notebook the text, if somebody has parsed it */
function readNotebookText(text: string, notebook?: NotebookDocument): NotebookFacts {
  return facts(text, () => {
    const parsed: ParsedNotebook =
      notebook === undefined ? parseNotebook(text) : { ok: true, notebook };
    if (!parsed.ok) return { fault: parsed.text, imports: NO_IMPORTS };
    return { fault: undefined, imports: importsOf(text, () => cellsOf(parsed.notebook)) };
  });
}

/** Cell magics below which there is Python that runs here. */
const PYTHON_MAGICS = /^%%(?:time|timeit|capture|prun)\b/;
const LEFT_OUT = 'skip-execution';
/** Tags of cells that may fail, or are left out. */
const SPARED = ['raises-exception', LEFT_OUT];

type Code = {
  readonly text: string;
  readonly cell: number | undefined;
  /** of the cell */
  readonly tags: readonly unknown[];
};

/** @param text all of it, which may have no import at all */
function importsOf(text: string, codeOf: () => readonly Code[]): CodeImports {
  if (!text.includes('import')) return NO_IMPORTS;
  const code = codeOf().map((one) => ({
    ...one,
    own: isPython(one) ? ownModulesOf(one.text) : ownModulesOfCommands(one.text),
  }));
  const placeOf = (key: 'installs' | 'looks' | 'makes'): string | undefined => {
    const found = code.find(({ own, tags }) => own[key] !== undefined && !tags.includes(LEFT_OUT));
    return found && placeIn(found.cell, found.own[key] ?? 1);
  };
  const [installs, looks, makes] = [placeOf('installs'), placeOf('looks'), placeOf('makes')];
  const whyAll =
    (installs && `${installs} installs packages, which fails without a network`) ??
    (looks && `${looks} changes where Python looks for modules`);
  const files = new Set(code.flatMap(({ own }) => [...own.files]));
  const needs = new Map<string, ImportNeed>();
  const unchecked = new Map<string, UncheckedImport>();
  for (const { text: part, cell, tags } of code.filter(isPython)) {
    const isSpared = SPARED.some((tag) => tags.includes(tag));
    const { certain, possible } = importsIn(part);
    for (const { module, line } of certain) {
      const why = isSpared
        ? 'a tag of the cell lets it fail or leaves it out'
        : (whyAll ?? (files.has(module) ? 'the code names a file of it' : undefined));
      if (why === undefined) keepFirst(needs, { module, line, cell });
      else keepFirst(unchecked, { module, line, cell, why });
    }
    for (const { module, line } of possible)
      keepFirst(unchecked, { module, line, cell, why: whyAll ?? 'the code may do without it' });
  }
  return {
    needs: [...needs.values()],
    unchecked: [...unchecked.values()].filter(({ module }) => !needs.has(module)),
    doubts: [
      ...(installs
        ? [`${sentence(installs)} installs packages, which fails without a network.`]
        : []),
      ...(makes ? [`${sentence(makes)} imports by a name that nobody checked.`] : []),
    ],
  };
}

function keepFirst<One extends ImportNeed>(found: Map<string, One>, one: One): void {
  if (!found.has(one.module)) found.set(one.module, one);
}

/** Where in the code: a cell of a notebook, or a line of a program. */
function placeIn(cell: number | undefined, line: number): string {
  return cell === undefined ? `line ${line}` : `cell ${cell}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The cells of a notebook with code in any language; cells count from 1. */
function cellsOf({ cells }: NotebookDocument): readonly Code[] {
  return cells.flatMap((one, index) =>
    one.kind === 'code' ? [{ text: one.source, cell: index + 1, tags: tagsOf(one) }] : [],
  );
}

function isPython({ text }: Code): boolean {
  return !text.startsWith('%%') || PYTHON_MAGICS.test(text);
}
