import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import type { WireAnswer } from './answers.ts';

const run = promisify(execFile);

/** What curl got. */
export type Fetched = WireAnswer & {
  /** where it would go next; empty for an answer that is no redirection */
  readonly location: string;
  readonly type: string;
  /** the body as data, from JSON or YAML */
  readonly document: Readonly<Record<string, unknown>>;
};

/** Runs curl. @param words of its command line, with the URL */
export async function curl(...words: readonly string[]): Promise<Fetched> {
  const { stdout } = await run('curl', ['-sS', '-w', '\n%{json}', ...words], {
    maxBuffer: 2 ** 26,
  });
  const end = stdout.lastIndexOf('\n');
  const text = stdout.slice(0, end);
  const told = JSON.parse(stdout.slice(end));
  return {
    url: told.url_effective,
    status: told.http_code,
    location: told.redirect_url ?? '',
    type: told.content_type ?? '',
    text,
    document: Object(load(text)),
  };
}
