import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, jest, test } from '@jest/globals';
import Ajv from 'ajv/dist/core.js';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { wholeCheck } from '../../../src/http/body/contract-check.ts';
import { mediaTypesOf, requestContract } from '../../../src/http/body/request-contract.ts';
import { readContract } from '../../../src/http/service-routes.ts';

const shape = { type: 'object', properties: { name: { $ref: '#/components/schemas/Name' } } };
const contract = {
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  servers: [{ url: '/' }],
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } } },
    schemas: { Name: { type: 'string' }, Shape: shape },
    responses: { Large: { description: 'many words' } },
  },
  paths: {
    '/a/{id}': {
      parameters: [{ $ref: '#/components/parameters/Id' }],
      get: { responses: { 200: { $ref: '#/components/responses/Large' } } },
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Shape' } } },
        },
        responses: {},
      },
    },
  },
};

describe('the part of a contract that describes requests', () => {
  test('has their parameters and bodies without references, and no answers', () => {
    const responses = { default: { description: '' } };
    const schema = { type: 'object', properties: { name: { type: 'string' } } };
    expect(requestContract(contract)).toEqual({
      openapi: '3.1.0',
      info: contract.info,
      servers: contract.servers,
      paths: {
        '/a/{id}': {
          parameters: [contract.components.parameters.Id],
          get: { responses },
          post: { requestBody: { content: { 'application/json': { schema } } }, responses },
        },
      },
    });
  });

  test('names the types of its bodies', () => {
    expect([...mediaTypesOf(requestContract(contract))]).toEqual(['application/json']);
  });

  test('cannot refer to nothing', () => {
    const broken = { ...contract, components: { ...contract.components, schemas: {} } };
    expect(() => requestContract(broken)).toThrow('the contract has no #/components/schemas/Shape');
  });
});

/** Sends requests to a server that checks them. */
async function served(use: (send: typeof fetch, url: string) => Promise<void>): Promise<void> {
  const seen: RequestHandler = ({ method, headers }, response) =>
    void response.set('X-Seen', `${method} ${headers['content-type']}`).end();
  const refused: ErrorRequestHandler = (error, { method, headers }, response, _next) =>
    void response
      .status(Object(error).status ?? 500)
      .set('X-Seen', `${method} ${headers['content-type']}`)
      .end();
  const app = express().use(wholeCheck(await readContract()), seen, refused);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(fetch, `http://127.0.0.1:${Object(server.address()).port}`);
  } finally {
    server.close();
  }
}

test('the types that requests name, in any number, are no work for the checker', () =>
  served(async (send, url) => {
    const get = (type: string) =>
      send(`${url}/calendar?x=1`, { headers: { 'Content-Type': type } });
    expect((await get('a/first')).status).toBe(400);
    const compile = jest.spyOn(Ajv.default.prototype, 'addSchema');
    for (const type of ['a/b', 'a/c', 'text/plain; charset=utf-8; x=1', 'nonsense'])
      expect((await get(type)).status).toBe(400);
    expect(compile).not.toHaveBeenCalled();
    await send(`${url}/site?x=1`, { headers: { 'Content-Type': 'a/b' } });
    expect(compile).toHaveBeenCalled();
    compile.mockRestore();
  }));

test('who answers sees the method and the type of the request as they were sent', () =>
  served(async (send, url) => {
    const typed = { headers: { 'Content-Type': 'Text/Odd; a=b' } };
    const head = await send(`${url}/site`, { method: 'HEAD', ...typed });
    expect([head.status, head.headers.get('X-Seen')]).toEqual([200, 'HEAD Text/Odd; a=b']);
    const post = await send(`${url}/request`, { method: 'POST', body: '{}', ...typed });
    expect([post.status, post.headers.get('X-Seen')]).toEqual([415, 'POST Text/Odd; a=b']);
  }));
