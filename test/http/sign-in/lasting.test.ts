import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { hashPassword, printHash } from '../../../src/identity/basic/hash.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { SMALL_ASK, SMALL_RULES, SMALL_SITE } from '../../harness/site.ts';
import { until } from '../../uws/clients/worker.ts';
import { openPage } from './browser.ts';

let folder: string;
let file: string;
let adaLine: string;
let service: TestService;

async function lineOf(user: string, password: string): Promise<string> {
  return `${user}:${printHash(await hashPassword(password, { n: 1024, r: 8, p: 1 }))}:\n`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planner-lasting-'));
  file = join(folder, 'users');
  adaLine = await lineOf('ada', 'correct horse');
  await writeFile(file, adaLine + (await lineOf('eve', 'sesame')));
  service = await startTestService({ ...SMALL_SITE, identity: { basic: file } }, SMALL_RULES);
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Accepts a job as this user, and waits for a change of it. */
async function follow(userAndPassword: string) {
  const headers = { Authorization: `Basic ${btoa(userAndPassword)}` };
  const { send } = openPage(service.url);
  const reply = await send('/request', { body: SMALL_ASK, headers });
  const [{ ident }] = Object(reply.document['response']).offers;
  await send(`/offers/${ident}`, { body: 'status: ACCEPTED', headers });
  const before = service.waiting();
  const leaving = new AbortController();
  const answer = fetch(`${service.url}/jobs/${ident}?WAIT=60`, { headers, signal: leaving.signal });
  const seen = { end: '' };
  void answer.then(
    ({ status }) => (seen.end = `answered ${status}`),
    () => (seen.end = 'ended'),
  );
  await until(() => service.waiting() > before);
  return { seen, leave: () => leaving.abort() };
}

test('who is removed from the password file follows nothing any more, and others go on', async () => {
  const [ada, eve] = [await follow('ada:correct horse'), await follow('eve:sesame')];
  await writeFile(file, adaLine);
  await until(() => eve.seen.end !== '');
  expect([ada.seen.end, eve.seen.end]).toEqual(['', 'ended']);
  ada.leave();
});
