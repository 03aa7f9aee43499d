import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { offersOf } from '../../harness/client.ts';
import { contractFaults } from '../../harness/contract.ts';
import { until } from '../../cli/service-process.ts';
import { serveTests } from '../../harness/serve.ts';
import { processDestination, SMALL_ASK, SMALL_RULES, tokenOf } from '../../harness/site.ts';

describe('an administrator says why', () => {
  const service = serveTests(
    {
      rules: ['rules.yml'],
      identity: {
        anonymous: false,
        administrators: ['operators'],
        tokens: [tokenOf('ada-token'), tokenOf('op-token', { roles: ['operators'] })],
      },
      destinations: { a: processDestination({ cores: 16 }) },
    },
    SMALL_RULES,
  );
  const offer = async (): Promise<string> =>
    offersOf(await service.send('/request', { token: 'ada-token', body: SMALL_ASK }))[0]?.href ??
    '';
  const jobOf = async (href: string): Promise<string> => {
    await service.send(href, { token: 'ada-token', body: 'status: ACCEPTED' });
    return `/jobs/${href.split('/').at(-1)}`;
  };
  const lastChange = async (): Promise<unknown> => {
    const { document } = await service.send('/audit?limit=1', { token: 'op-token' });
    expect(contractFaults('AuditBody', document)).toEqual([]);
    return Object(document).audit[0];
  };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

  test('and the audit trail keeps it: of offers, of jobs, and of what is destroyed', async () => {
    const rejected = await offer();
    await service.send(rejected, {
      token: 'op-token',
      body: 'status: REJECTED\nwhy: Holds the whole machine',
    });
    const by = { owner: 'user:op@example.org', administrator: true };
    expect(await lastChange()).toMatchObject({
      ...by,
      action: expect.stringMatching(/^POST \/offers\/\S+ status=REJECTED$/),
      why: 'Holds the whole machine',
      status: 200,
    });
    const aborted = await jobOf(await offer());
    await service.send(`${aborted}/phase`, {
      token: 'op-token',
      body: `PHASE=ABORT&why=${'Its+owner+left\n'.repeat(50)}`,
      headers: form,
    });
    expect(await lastChange()).toMatchObject({
      ...by,
      action: `POST ${aborted}/phase PHASE=ABORT`,
      why: 'Its owner left '.repeat(50).slice(0, 500),
      status: 303,
    });
    await service.send(aborted, {
      token: 'op-token',
      body: 'ACTION=DELETE&WHY=Over',
      headers: form,
    });
    expect(await lastChange()).toMatchObject({ ...by, why: 'Over', status: 303 });
    const destroyed = await jobOf(await offer());
    await fetch(`${service.url}${destroyed}?WHY=Wrong+disc`, {
      method: 'DELETE',
      redirect: 'manual',
      headers: { Authorization: 'Bearer op-token' },
    });
    expect(await lastChange()).toMatchObject({
      ...by,
      action: `DELETE ${destroyed}`,
      why: 'Wrong disc',
    });
  });

  test('and who leaves before the answer is in the trail, too', async () => {
    const path = new URL(await offer(), service.url).pathname;
    const { hostname, port } = new URL(service.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const body = 'status: REJECTED';
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      'Authorization: Bearer op-token',
      'Content-Type: application/yaml',
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
    const left = await until('the change is in the trail', async () => {
      const entry = Object(await lastChange());
      return entry.action === `POST ${path} status=REJECTED` ? entry : undefined;
    });
    expect(left).toMatchObject({ status: 200, address: expect.stringContaining(hostname) });
  });

  test('in the vocabularies of brokers as a parameter of the query', async () => {
    const ident = (await offer()).split('/').at(-1) ?? '';
    await service.send(`/sessions/${ident}?why=Wrong+disc`, {
      token: 'op-token',
      body: 'update: { path: phase, value: REJECTED }',
    });
    expect(await lastChange()).toMatchObject({ status: 200, why: 'Wrong disc' });
  });

  test('which nobody has to: then it is left out', async () => {
    await service.send(await offer(), { token: 'ada-token', body: 'status: REJECTED' });
    expect(await lastChange()).not.toHaveProperty('why');
    const long = { token: 'ada-token', body: `{status: REJECTED, why: ${'x'.repeat(501)}}` };
    expect((await service.send(await offer(), long)).status).toBe(400);
  });
});
