import { readFile } from 'node:fs/promises';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isRecord, parsedJson } from '../../words/record.ts';
import { errorText } from '../../words/system-error.ts';
import { JOB_PATH } from '../run/environment.ts';
import { BatchRefusal, BatchUnreachable, type BatchRequest } from '../batch/system.ts';
import type { SlurmClient, SlurmJob } from './client.ts';
import { CALL_MS } from '../batch/command.ts';
import type { SlurmAccess, SlurmSettings } from './settings.ts';

/** The API of slurmrestd in Slurm 21.08 to 23.11; later versions have other shapes. */
const API = '/slurm/v0.0.38';
const LONGEST = 256 * 2 ** 20;
const INVALID_JOB = 2017;
const ALREADY_DONE = 2021;
const NOBODY =
  /unable to contact|connection refused|timed out|zero bytes|communication|temporarily|try again later/i;

/** One question to slurmrestd. */
type Call = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
};
type Answer = { readonly status: number; readonly text: string };

/**
 * Slurm by slurmrestd, with a JSON Web Token of the user that jobs run as.
 *
 * @param user name of this user
 */
export function restClient(
  settings: SlurmSettings,
  { url, tokenFile }: Extract<SlurmAccess, { transport: 'rest' }>,
  user: string,
): SlurmClient {
  const call = async (
    asked: Call,
    harmless: readonly number[] = [],
  ): Promise<Readonly<Record<string, unknown>>> => {
    // Tokens are short-lived: the site writes new ones to the file.
    const token = await readFile(tokenFile, 'utf8').catch((error: unknown) => {
      throw new BatchUnreachable(`the token cannot be read: ${errorText(error)}`);
    });
    const headers = {
      'X-SLURM-USER-NAME': user,
      'X-SLURM-USER-TOKEN': token.trim().replace(/^SLURM_JWT=/, ''),
    };
    const { status, text } = await exchange(url, asked, headers).catch((error: unknown) => {
      throw new BatchUnreachable(`slurmrestd at ${url}: ${errorText(error)}`);
    });
    // The site renews an expired token; the jobs go on.
    if (status === 401 || status === 403)
      throw new BatchUnreachable('slurmrestd does not take the token');
    const answer = parsedJson(text);
    if (!isRecord(answer))
      throw new BatchUnreachable(`slurmrestd answered ${status}: ${text.slice(0, 200)}`);
    const wrong = errorsOf(answer).find(({ code }) => !harmless.includes(code));
    if (wrong !== undefined)
      throw NOBODY.test(wrong.text)
        ? new BatchUnreachable(wrong.text)
        : new BatchRefusal(wrong.text);
    if (status >= 400 && errorsOf(answer).length === 0)
      throw new BatchRefusal(`slurmrestd answered ${status}`);
    return answer;
  };
  return {
    submit: async (request) => {
      const { job_id: id } = await call({
        method: 'POST',
        path: '/job/submit',
        body: bodyOf(request, settings),
      });
      if (typeof id !== 'number' || id === 0)
        throw new BatchRefusal('slurmrestd gave the job no id');
      return id;
    },
    probe: async () =>
      void (await call({
        method: 'GET',
        path: `/partition/${encodeURIComponent(settings.partition)}`,
      })),
    jobs: async () => {
      const { jobs } = await call({ method: 'GET', path: '/jobs' });
      if (!Array.isArray(jobs))
        throw new BatchUnreachable('slurmrestd answered without a list of jobs');
      return jobs.flatMap((job: unknown) => jobOf(job, user));
    },
    // No `recall`: records of ended jobs come from slurmdbd, in another shape for each version.
    // The API has no --test-only.
    predict: async () => undefined,
    cancel: async (id, how) => {
      await call({ method: 'DELETE', path: `/job/${id}${how === 'now' ? '?signal=KILL' : ''}` }, [
        INVALID_JOB,
        ALREADY_DONE,
      ]);
    },
  };
}

function exchange(
  url: string,
  { method, path, body }: Call,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { secure, ...where } = optionsOf(url);
    const text = body === undefined ? undefined : JSON.stringify(body);
    const more =
      text === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(text)) };
    // slurmrestd 22.05 answers `Connection: close` with a header line after the body, which breaks
    // HTTP.
    const connection = { Host: 'localhost', Connection: 'keep-alive' };
    const options = {
      ...where,
      method,
      path: `${API}${path}`,
      headers: { ...connection, ...headers, ...more },
      signal: AbortSignal.timeout(CALL_MS),
      agent: false,
    } as const;
    const asked = (secure ? httpsRequest : httpRequest)(options, (response) => {
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > LONGEST) response.destroy(new Error('the answer is too long'));
        else parts.push(part);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }),
      );
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end(text);
  });
}

function optionsOf(url: string): RequestOptions & { readonly secure: boolean } {
  if (url.startsWith('unix:')) return { socketPath: url.slice('unix:'.length), secure: false };
  const { protocol, hostname, port } = new URL(url);
  return { hostname, ...(port !== '' && { port }), secure: protocol === 'https:' };
}

/** The errors of an answer, in their two spellings. */
function errorsOf(
  value: Readonly<Record<string, unknown>>,
): readonly { readonly code: number; readonly text: string }[] {
  return (Array.isArray(value['errors']) ? value['errors'] : [])
    .filter(isRecord)
    .map((item) => ({
      code: Number(item['error_number'] ?? item['error_code'] ?? 0),
      text: String(item['error'] ?? item['description'] ?? ''),
    }));
}

function bodyOf(
  { name, script, directory, begin, stdout, stderr, ...amount }: BatchRequest,
  { partition, account, qos, constraint }: SlurmSettings,
): unknown {
  const { minutes, nodes, cpus, memory, gres } = amount;
  return {
    script,
    job: {
      name,
      comment: name,
      current_working_directory: directory,
      standard_output: stdout,
      standard_error: stderr,
      open_mode: 'append',
      environment: { PATH: JOB_PATH },
      partition,
      account,
      qos,
      constraints: constraint,
      gres,
      ...(begin !== undefined && { begin_time: `uts${begin}` }),
      ...(nodes === undefined
        ? { nodes: [1, 1], tasks: 1, cpus_per_task: cpus }
        : { nodes: [nodes, nodes], tasks: nodes * cpus, tasks_per_node: cpus, cpus_per_task: 1 }),
      memory_per_node: memory,
      time_limit: minutes,
      requeue: false,
      kill_on_invalid_dependency: true,
    },
  };
}

function jobOf(value: unknown, user: string): readonly SlurmJob[] {
  if (!isRecord(value)) return [];
  const { job_id: id, name, job_state: state, state_reason: reason, user_name: owner } = value;
  if (
    typeof id !== 'number' ||
    typeof name !== 'string' ||
    typeof state !== 'string' ||
    owner !== user
  )
    return [];
  return [{ id, name, state, reason: typeof reason === 'string' ? reason : '' }];
}
