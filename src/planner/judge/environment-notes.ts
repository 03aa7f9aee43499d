import { importsOfTask, unreadCode, type UncheckedImport } from '../../tasks/python-imports.ts';
import { STANDARD_MODULES } from '../../environments/standard-modules.ts';
import type { Requirement } from '../../environments/requirement.ts';
import { shown, type NotebookTask, type ProgramTask } from '../../tasks/task.ts';
import { normalisedName } from '../../environments/normalised-name.ts';

/**
 * What nobody checked of a task that an environment takes; undefined: nothing.
 * @param installed packages that are installed for the task
 */
export function uncheckedThere(
  task: NotebookTask | ProgramTask,
  name: string,
  lacks: (module: string) => boolean,
  installed: readonly Requirement[],
): string | undefined {
  const unread = unreadCode(task);
  if (unread !== undefined) return `Nobody checked what the code imports: ${unread.why}.`;
  const { unchecked, doubts } = importsOfTask(task);
  const missing = [...unchecked, ...unknownOfMade(task, installed)].filter(({ module }) =>
    lacks(module),
  );
  if (missing.length === 0) return doubts.length === 0 ? undefined : doubts.join(' ');
  const reasons = [...new Set(missing.map(({ why }) => why))];
  const said = reasons.map((reason) => {
    const modules = missing.filter(({ why }) => why === reason);
    return `Nobody checked ${listOf(modules)}, which ${name} lacks: ${reason}.`;
  });
  // A reason says that packages are installed, and where.
  return [...said, ...doubts.filter((one) => !said.some((text) => tells(text, one)))].join(' ');
}

/** What nobody checked of a task where nobody knows what is installed; undefined: nothing. */
export function uncheckedAnywhere(task: NotebookTask | ProgramTask): string | undefined {
  const { needs, unchecked, doubts } = importsOfTask(task);
  const isUnknown = [...needs, ...unchecked].some(({ module }) => !STANDARD_MODULES.has(module));
  return isUnknown || doubts.length > 0 || unreadCode(task) !== undefined
    ? 'Nobody knows what is installed there, so nobody checked what the code imports.'
    : undefined;
}

const MOST_MODULES = 5;

/** Modules that a package with another name may bring. */
function unknownOfMade(
  task: NotebookTask | ProgramTask,
  installed: readonly Requirement[],
): readonly UncheckedImport[] {
  const required = new Set(installed.map(({ name }) => normalisedName(name)));
  if (required.size === 0) return [];
  return importsOfTask(task)
    .needs.filter(({ module }) => !required.has(normalisedName(module)))
    .map((one) => ({ ...one, why: 'packages show which modules they bring when they are there' }));
}

function listOf(imports: readonly UncheckedImport[]): string {
  const named = imports
    .slice(0, MOST_MODULES)
    .map(({ module, cell, line }) =>
      cell === undefined ? `${shown(module)} (line ${line})` : `${shown(module)} (cell ${cell})`,
    );
  const more = imports.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}

function tells(text: string, doubt: string): boolean {
  return text.toLowerCase().includes(doubt.toLowerCase());
}
