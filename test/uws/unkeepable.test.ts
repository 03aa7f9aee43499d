import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openWorker, type Worker } from './worker.ts';

describe('a parameter that the database cannot keep as text', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await openWorker();
  });
  afterAll(() => worker.close());

  const pending = (): Promise<string> => worker.job('CLIENT');
  const form = async (path: string, text: string): Promise<string> => {
    const { status, text: answer } = await worker.ask(path, { form: text });
    return `${status} ${answer.split(':', 1)[0]}`;
  };
  const put = (path: string, type: string, content: string): Promise<{ readonly status: number }> =>
    worker.ask(path, { method: 'PUT', form: content, headers: { 'content-type': type } });

  test.each([
    ['a value with NUL', 'a=x%00y'],
    ['a name with NUL', 'a%00b=x'],
    ['a name without letters', '=x'],
    ['a name of 201 characters', `${'a'.repeat(201)}=x`],
  ])('is refused: %s, of a job that is there and of one that is to be made', async (_, text) => {
    const id = await pending();
    expect(await form(`/${id}/parameters`, text)).toBe('400 parameter-invalid');
    expect(await form('', `OFFER=${id}&${text}`)).toBe('400 parameter-invalid');
    expect((await worker.ask(`/${id}`)).status).toBe(200);
  });

  test('is refused before a job is made for its task description', async () => {
    expect(await form('', `REQUEST=${encodeURIComponent('task: {type: x}')}&a%00b=x`)).toBe('400 parameter-invalid');
  });

  test('is kept as bytes when it comes by PUT, and its job stays readable', async () => {
    const id = await pending();
    expect((await put(`/${id}/parameters/nul`, 'text/plain', 'x\0y')).status).toBe(303);
    const { status, text } = await worker.ask(`/${id}`);
    expect([status, text.includes(`<uws:parameter id="nul" byReference="true">`)]).toEqual([200, true]);
    expect((await worker.ask(`/${id}/parameters/nul`)).text).toBe('x\0y');
  });

  test('is no name of an owner: the list that an administrator asks for is empty', async () => {
    const { status, text } = await worker.ask('?OWNER=%00', { as: 'admin' });
    expect([status, text.includes('jobref')]).toEqual([200, false]);
  });

  test('has no name to be asked for or set by', async () => {
    const id = await pending();
    expect((await worker.ask(`/${id}/parameters/a%00b`)).status).toBe(404);
    expect((await put(`/${id}/parameters/a%00b`, 'text/plain', 'x')).status).toBe(400);
    expect((await worker.ask(`/${id}/results/a%00b`)).status).toBe(404);
  });
});
