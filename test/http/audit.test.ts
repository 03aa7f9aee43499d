import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import { expect, test } from '@jest/globals';
import { auditChanges } from '../../src/http/audit.ts';
import { urlOf } from '../../src/http/edge/listen.ts';
import { identifiedAs } from '../../src/http/identified.ts';

test('a change that the audit trail cannot describe is answered, and its log says so', async () => {
  const missed: unknown[] = [];
  const trail = {
    note: () => {
      throw new Error('no words for it');
    },
    missed: (_id: string, why: unknown) => void missed.push(String(why)),
    read: async () => [],
    close: async () => undefined,
  };
  const app = express()
    .use((request, response, next) => {
      identifiedAs(request, response, { kind: 'anonymous' });
      next();
    })
    .use(auditChanges(trail, []))
    .post('/jobs', (_request, response) => void response.status(201).send('made'));
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const answer = await fetch(`${urlOf(server, '127.0.0.1')}/jobs`, { method: 'POST' });
    expect([answer.status, await answer.text()]).toEqual([201, 'made']);
    expect(missed).toEqual(['Error: no words for it']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
