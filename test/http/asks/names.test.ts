import { describe, expect, test } from '@jest/globals';
import { dump, load } from 'js-yaml';
import { serveTests } from '../../harness/serve.ts';

const SITE = {
  rules: ['rules.yml'],
  destinations: {
    small: {
      runner: 'process',
      'task-types': ['executable'],
      cores: 600,
      memory: '900GiB',
      scratch: '900GiB',
    },
  },
};
const RULES = { destinations: { small: { runner: 'process' } } };
const TASK = {
  type: 'https://www.purl.org/ivoa-net/task-type/executable',
  spec: { command: ['sort'] },
};

describe('the name of an ask', () => {
  const service = serveTests(SITE, RULES);

  const send = async (path: string, document?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(service.url + path, {
      redirect: 'manual',
      headers: { 'Content-Type': 'application/yaml', Accept: 'application/yaml' },
      ...(document !== undefined && { method: 'POST', body: dump(document) }),
    });
    return Object(load(await response.text()));
  };
  const runIdOf = async (ident: string): Promise<unknown> => {
    const response = await fetch(`${service.url}/jobs/${ident}`, {
      headers: { Accept: 'application/json' },
    });
    return Object(await response.json()).runId;
  };
  const firstOffer = async (ask: object) => {
    const { response } = await send('/request', ask);
    return Object(response).offers[0];
  };

  test('is the name of its job, also one that waits for its client', async () => {
    for (const start of ['auto', 'client']) {
      const { ident, request } = await firstOffer({ name: 'Deep field 7, run 3', task: TASK });
      expect(request.name).toBe('Deep field 7, run 3');
      await send(`/offers/${ident}`, { status: 'ACCEPTED', start });
      expect(await runIdOf(ident)).toBe('Deep field 7, run 3');
    }
  });

  test('is in the offer when it is read again, and in a dry run', async () => {
    const { ident } = await firstOffer({ name: 'M31', task: TASK });
    const { offer } = await send(`/offers/${ident}`);
    expect(Object(offer).request.name).toBe('M31');
    const { response } = await send('/request?dry-run=true', { name: 'M31', task: TASK });
    expect(Object(response).offers[0].request.name).toBe('M31');
  });

  test('is absent where the client gives none', async () => {
    const { ident, request } = await firstOffer({ task: TASK });
    expect(request).not.toHaveProperty('name');
    await send(`/offers/${ident}`, { status: 'ACCEPTED' });
    expect(await runIdOf(ident)).toBeNull();
  });

  test('is that of a job that is made for the document, before RUNID', async () => {
    const response = await fetch(`${service.url}/jobs?RUNID=other`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/yaml' },
      body: dump({ name: 'mine', task: TASK }),
    });
    const ident = response.headers.get('location')?.split('/').at(-1) ?? '';
    expect(await runIdOf(ident)).toBe('mine');
  });

  test.each([
    ['meta', { meta: { name: 'cut\tout' } }, 'cut out'],
    ['the request', { name: 'x'.repeat(200) }, 'x'.repeat(64)],
  ])('comes from %s of a broker request, as far as a job can have it', async (_, more, name) => {
    const executable = { kind: 'https://www.purl.org/ivoa-net/task-type/executable', spec: {} };
    const asked = { ...more, executable: { ...executable, ...TASK.spec } };
    const set = await send('/offersets', asked);
    const [first] = Object(set['offers']);
    const { uuid } = first.meta;
    await send(`/offers/${uuid}`, { status: 'ACCEPTED' });
    expect(await runIdOf(uuid)).toBe(name);
    const { offer } = await send(`/offers/${uuid}`);
    expect(Object(offer).request.name).toBe(name);
  });

  test('is told to a client of a broker that reads the offer', async () => {
    const { ident } = await firstOffer({ name: 'M31', task: TASK });
    const session = await send(`/sessions/${ident}`);
    expect(session['meta']).toMatchObject({ name: 'M31' });
  });
});
