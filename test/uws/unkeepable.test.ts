import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openWorker, type Worker } from './clients/worker.ts';

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
  ])('is refused: %s, for an existing job and for a new one', async (_, text) => {
    const id = await pending();
    expect(await form(`/${id}/parameters`, text)).toBe('400 parameter-invalid');
    expect(await form('', `OFFER=${id}&${text}`)).toBe('400 parameter-invalid');
    expect((await worker.ask(`/${id}`)).status).toBe(200);
  });

  test('is refused before a job is made for its task description', async () => {
    expect(await form('', `REQUEST=${encodeURIComponent('task: {type: x}')}&a%00b=x`)).toBe(
      '400 parameter-invalid',
    );
  });

  test('is kept as bytes when it comes by PUT, and its job stays readable', async () => {
    const id = await pending();
    expect((await put(`/${id}/parameters/nul`, 'text/plain', 'x\0y')).status).toBe(303);
    const { status, text } = await worker.ask(`/${id}`);
    expect([status, text.includes(`<uws:parameter id="nul" byReference="true">`)]).toEqual([
      200,
      true,
    ]);
    expect((await worker.ask(`/${id}/parameters/nul`)).text).toBe('x\0y');
  });

  /** What no UTF-8 reader accepts: a misplaced byte, a zero of two bytes, half a surrogate pair. */
  const NO_TEXT = Buffer.from([0x61, 0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]);
  const multipart = (
    path: string,
    parts: readonly (readonly [head: Uint8Array | string, content: Uint8Array | string])[],
  ): Promise<Response> => {
    const body = parts.flatMap(([head, content]) => [
      '--BOUNDARY\r\nContent-Disposition: form-data; ',
      head,
      '\r\n\r\n',
      content,
      '\r\n',
    ]);
    return fetch(worker.jobs + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'multipart/form-data; boundary=BOUNDARY' },
      body: Buffer.concat([...body, '--BOUNDARY--\r\n'].map((piece) => Buffer.from(piece))),
    });
  };

  test('is kept as bytes, or refused in a text field and in percent codes, when it is not UTF-8', async () => {
    const id = await pending();
    const statuses = [
      await fetch(`${worker.jobs}/${id}/parameters/put`, {
        method: 'PUT',
        redirect: 'manual',
        headers: { 'content-type': 'text/plain' },
        body: new Uint8Array(NO_TEXT),
      }),
      await multipart(`/${id}/parameters`, [
        ['name="file"; filename="f\xff"\r\nContent-Type: text/plain', NO_TEXT],
        ['name="größe"', '\ufeffgroß'],
      ]),
      await multipart(`/${id}/parameters`, [
        ['name="reference"', 'param:meant'],
        ['name="meant"', NO_TEXT],
      ]),
      await multipart(`/${id}/parameters`, [['name="part"', NO_TEXT]]),
      await multipart(`/${id}/parameters`, [[Buffer.from('name="part\xff"', 'latin1'), 'x']]),
      await worker.ask(`/${id}/parameters`, { form: 'escaped=a%FF%C0%80' }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([303, 303, 303, 400, 400, 400]);
    const { status, text } = await worker.ask(`/${id}`);
    expect(status).toBe(200);
    for (const name of ['put', 'file', 'reference'])
      expect(text).toContain(`<uws:parameter id="${name}" byReference="true">`);
    expect(text).toContain('<uws:parameter id="größe">groß</uws:parameter>');
    for (const name of ['part', 'escaped']) expect(text).not.toContain(`id="${name}`);
    for (const name of ['put', 'file', 'reference']) {
      const kept = await fetch(`${worker.jobs}/${id}/parameters/${name}`);
      expect([name, Buffer.from(await kept.arrayBuffer()).equals(NO_TEXT)]).toEqual([name, true]);
    }
  });

  test('is no boundary of a form within a line, at the begin of one, or at the end of a line of Unix', async () => {
    const id = await pending();
    const content =
      '--BOUNDARY a\r\n--BOUNDARYS\r\n--BOUNDARY--x\n--BOUNDARY\n - --BOUNDARY\r\n-BOUNDARY--';
    const parts = [
      ['name="file"; filename="f"', content],
      ['name="field"', content],
    ] as const;
    expect((await multipart(`/${id}/parameters`, parts)).status).toBe(303);
    for (const name of ['file', 'field'])
      expect((await worker.ask(`/${id}/parameters/${name}`)).text).toBe(content);
    const spaced =
      '--a b \t\r\nContent-Disposition: form-data; name="spaced"\r\n\r\nx\r\n--a b--  ';
    const { status } = await worker.ask(`/${id}/parameters`, {
      form: `before\r\n${spaced}\r\nbehind`,
      headers: { 'content-type': 'multipart/form-data; charset=utf-8; Boundary="a\\ b"' },
    });
    expect(status).toBe(303);
    expect((await worker.ask(`/${id}/parameters/spaced`)).text).toBe('x');
  });

  test('is refused when one name is given as a text and as a file, and nothing of the form is kept', async () => {
    const id = await pending();
    const answer = await multipart(`/${id}/parameters`, [
      ['name="a"', 'x'],
      ['name="A"; filename="f"', 'y'],
    ]);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining(
        'parameter-invalid: The name of a parameter is "A"; it must be that of a text or that of a file, not of both',
      ),
    ]);
    expect((await worker.ask(`/${id}/parameters/a`)).status).toBe(404);
    expect(worker.unexpected).toEqual([]);
  });

  test('is no name of an owner: an administrator gets an empty list', async () => {
    const { status, text } = await worker.ask('?OWNER=%00', { as: 'admin' });
    expect([status, text.includes('jobref')]).toEqual([200, false]);
  });

  test('cannot be read or set', async () => {
    const id = await pending();
    expect((await worker.ask(`/${id}/parameters/a%00b`)).status).toBe(404);
    expect((await put(`/${id}/parameters/a%00b`, 'text/plain', 'x')).status).toBe(400);
    expect((await worker.ask(`/${id}/results/a%00b`)).status).toBe(404);
  });
});
