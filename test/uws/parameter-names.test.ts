import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openWorker, type Worker } from './clients/worker.ts';

let worker: Worker;
beforeAll(async () => {
  worker = await openWorker();
});
afterAll(() => worker.close());

/** Names and values of the client's own parameters, as the document of the job shows them. */
async function shownOf(
  id: string,
): Promise<readonly (readonly [name: string | undefined, value: string | undefined])[]> {
  const { text } = await worker.ask(`/${id}/parameters`);
  return [...text.matchAll(/<uws:parameter id="([^"]*)"[^>]*>([^<]*)</g)]
    .map(([, name, value]) => [name, value] as const)
    .filter(([name]) => name !== 'OFFER' && name !== 'REQUEST');
}
async function set(id: string, form: string): Promise<number> {
  return (await worker.ask(`/${id}/parameters`, { form })).status;
}
function url(id: string, name: string): string {
  return `${worker.jobs}/${id}/parameters/${name}`;
}

type Form = readonly (readonly [name: string, value: string | Blob, file?: string])[];
async function post(
  place: string,
  parts: Form,
): Promise<{ readonly status: number; readonly text: string }> {
  const form = new FormData();
  for (const [name, value, file] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, file);
  }
  const response = await fetch(worker.jobs + place, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}
const TABLE = new Blob(['a,b\n'], { type: 'text/csv' });

describe('the name of a parameter', () => {
  test('is shown as it was written, in the form that made the job or changed it', async () => {
    const id = await worker.job('CLIENT');
    await worker.ask('', { form: `oFFer=${id}&Band=g&seeing=0.7` });
    expect(await set(id, 'maxIter=3')).toBe(303);
    expect(await shownOf(id)).toEqual([
      ['Band', 'g'],
      ['maxIter', '3'],
      ['seeing', '0.7'],
    ]);
  });

  test('is matched without case: there is one such parameter, under its last spelling', async () => {
    const id = await worker.job('CLIENT');
    expect([await set(id, 'Band=g'), await set(id, 'BAND=r')]).toEqual([303, 303]);
    expect(await shownOf(id)).toEqual([['BAND', 'r']]);
    expect((await worker.ask(`/${id}/parameters/band`)).text).toBe('r');
    expect(
      (
        await worker.ask(`/${id}/parameters/bAnd`, {
          method: 'PUT',
          form: 'i',
          headers: { 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(303);
    expect(await shownOf(id)).toEqual([['bAnd', 'i']]);
    expect(await set(id, 'band=g&BAND=r')).toBe(303);
    expect(await shownOf(id)).toEqual([['band', 'g\nr']]);
  });

  test('stays with its value when the request is repeated in other letters', async () => {
    const id = await worker.job('CLIENT');
    await worker.ask('', { form: `OFFER=${id}&Band=g` });
    expect((await worker.ask('', { form: `OFFER=${id}&BAND=r` })).status).toBe(303);
    expect(await shownOf(id)).toEqual([['Band', 'g']]);
  });
});

describe('content that a parameter refers to (UWS § 2.2.3.1.1)', () => {
  test.each([
    ['p1', 'param:p1'],
    ['P1', 'param:p1'],
    ['INPUT', 'param:INPUT'],
  ])(
    'is that parameter, by reference, and no other one: part %s of %s',
    async (part, reference) => {
      const id = await worker.job('CLIENT');
      expect(
        (
          await post('', [
            ['OFFER', id],
            ['INPUT', reference],
            [part, TABLE, 'a.csv'],
          ])
        ).status,
      ).toBe(303);
      expect(await shownOf(id)).toEqual([['INPUT', url(id, 'INPUT')]]);
      expect((await worker.ask(`/${id}`)).text).toContain(
        '<uws:parameter id="INPUT" byReference="true">',
      );
      const { status, headers, text } = await worker.ask(`/${id}/parameters/INPUT`);
      expect([status, headers.get('content-type'), text]).toEqual([200, 'text/csv', 'a,b\n']);
    },
  );

  test('may be shared by two, be a text, and replace an earlier one', async () => {
    const id = await worker.job('CLIENT');
    await set(id, 'first=old');
    expect(
      (
        await post(`/${id}/parameters`, [
          ['first', 'param:both'],
          ['Second', 'param:both'],
          ['both', 'words'],
        ])
      ).status,
    ).toBe(303);
    expect(await shownOf(id)).toEqual([
      ['Second', url(id, 'Second')],
      ['first', url(id, 'first')],
    ]);
    for (const name of ['first', 'second'])
      expect((await worker.ask(`/${id}/parameters/${name}`)).text).toBe('words');
  });

  test('is its own parameter when its name is that of one of ours, which refer to nothing', async () => {
    const id = await worker.job('CLIENT');
    expect(
      (
        await post('', [
          ['OFFER', id],
          ['RUNID', 'param:p1'],
          ['p1', TABLE, 'a.csv'],
        ])
      ).status,
    ).toBe(303);
    expect(await shownOf(id)).toEqual([
      ['RUNID', 'param:p1'],
      ['p1', url(id, 'p1')],
    ]);
  });

  test('stays under the name of its part where DALI has a list of them', async () => {
    const id = await worker.job('CLIENT');
    expect(
      (
        await post('', [
          ['OFFER', id],
          ['UPLOAD', 'mine,param:t1'],
          ['UPLOAD', 'other,param:t2'],
          ['t1', TABLE, 'a'],
          ['t2', TABLE, 'b'],
        ])
      ).status,
    ).toBe(303);
    expect(await shownOf(id)).toEqual([
      ['UPLOAD', 'mine,param:t1\nother,param:t2'],
      ['t1', url(id, 't1')],
      ['t2', url(id, 't2')],
    ]);
  });

  test.each<readonly [string, Form, RegExp]>([
    [
      'a part that is not there',
      [['INPUT', 'param:none']],
      /^parameter-invalid: INPUT is "param:none"; it must be param: and the name of a part of the same form/,
    ],
    [
      'one of two parts that is not there',
      [
        ['UPLOAD', 'a,param:t1'],
        ['UPLOAD', 'b,param:none'],
        ['t1', TABLE, 'a'],
      ],
      /UPLOAD is "b,param:none"/,
    ],
    [
      'content and a text at once',
      [
        ['INPUT', 'param:p1'],
        ['input', 'x'],
        ['p1', TABLE, 'a'],
      ],
      /INPUT is "param:p1"; it must be given once/,
    ],
    [
      'two contents of one name',
      [
        ['p1', TABLE, 'a'],
        ['P1', TABLE, 'b'],
      ],
      /The name of a part is "P1"/,
    ],
  ])('is refused when it is %s, and nothing of the form is kept', async (_, parts, said) => {
    const id = await worker.job('CLIENT');
    expect(await post(`/${id}/parameters`, parts)).toEqual({
      status: 400,
      text: expect.stringMatching(said),
    });
    expect(await post('', [['OFFER', id], ...parts])).toMatchObject({ status: 400 });
    expect(await shownOf(id)).toEqual([]);
    expect(worker.unexpected).toEqual([]);
  });

  test('is refused in a form that has no parts', async () => {
    expect(await set(await worker.job('CLIENT'), 'INPUT=param:p1')).toBe(400);
  });
});
