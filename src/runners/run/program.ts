import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramTask, Source, Task } from '../../tasks/task.ts';
import type { UrlPolicy } from '../../tasks/url-policy.ts';
import { JobFailure } from '../../words/job-failure.ts';
import type { JobDirectory } from './directory.ts';
import { fetchSource } from './fetch-source.ts';

/** Name of a Python program in the `task` directory of its job. */
export const PROGRAM = 'program.py';

/** Writes the Python program of a task into its draft. @throws JobFailure */
export async function writeProgram(
  { program }: ProgramTask,
  draft: JobDirectory,
  urls: UrlPolicy,
): Promise<void> {
  const content =
    program.kind === 'inline' ? declaredUtf8(program.text) : await contentOf(program, urls);
  await writeFile(join(draft.task, PROGRAM), content, { mode: 0o600 });
}

/** What a source holds. @throws JobFailure when it cannot be fetched */
export async function contentOf(source: Source, urls: UrlPolicy): Promise<Buffer> {
  if (source.kind === 'inline') return Buffer.from(source.text);
  const fetched = await fetchSource(source.url, urls);
  if (fetched.ok) return fetched.content;
  throw new JobFailure(fetched.code, fetched.message, fetched.transient);
}

/** The failure of a task that came to a runner which does not execute its type. */
export function notExecuted(runner: string, { type }: Pick<Task, 'type'>): JobFailure {
  return new JobFailure('runner-failed', `the runner ${runner} does not run ${type}`);
}

/** What declares an encoding in the first two lines of a program (PEP 263). */
const DECLARED =
  /^(\u{feff}?(?:[ \t\f]*(?:#[^\r\n]*)?(?:\r\n?|\n))??[ \t\f]*#[^\r\n]*?coding[:=][ \t]*)[-\w.]+/u;

/** What stands in an ask is UTF-8, whatever it was where it comes from: Python would misread it. */
function declaredUtf8(source: string): string {
  return source.replace(DECLARED, (_all, before: string) => `${before}utf-8`);
}
