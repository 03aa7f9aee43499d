import { describe, expect, test } from '@jest/globals';
import {
  parseCellRun,
  pyodideMetadata,
  toNotebookJson,
  type CellOutput,
  type ExecutedCell,
} from '../../../src/runners/notebook/executed.ts';
import { renderNotebook } from '../../../src/runners/notebook/html.ts';
import { parsePlan } from '../../../src/runners/notebook/plan.ts';
import { sanitise } from '../../../src/runners/notebook/sanitise.ts';
import { nbformatProblems } from './nbformat.ts';

function shown(data: Record<string, unknown>): string {
  return renderNotebook([cell('code', '', [{ output_type: 'display_data', data, metadata: {} }])]);
}

function cell(
  kind: 'code' | 'markdown' | 'raw',
  source: string,
  outputs: readonly CellOutput[] = [],
  id?: string,
): ExecutedCell {
  return {
    cell: { kind, source, id, metadata: {}, attachments: undefined },
    count: kind === 'code' ? 1 : undefined,
    outputs,
  };
}

describe('the page of a notebook', () => {
  test('renders markdown and keeps its HTML and its dangerous links as text', () => {
    const page = renderNotebook([
      cell(
        'markdown',
        '# A & B\n\n**bold** <script>alert(1)</script> [x](javascript:alert(1)) ![y](data:text/html,x)',
      ),
    ]);
    expect(page).toContain('<h1>A &amp; B</h1>');
    expect(page).toContain('<strong>bold</strong> &lt;script&gt;');
    expect(page).toContain('<title>A &#38; B</title>');
    expect(page).not.toMatch(/<script|href="javascript|src="data:text/i);
  });

  test('escapes code, output and errors, and drops the colours of a terminal', () => {
    const attack = '</pre><script>alert(1)</script>';
    const page = renderNotebook([
      cell('code', attack, [
        {
          output_type: 'stream',
          name: `stdout"><script>`,
          text: `\u{1b}[31mred\u{1b}[0m ${attack}`,
        },
        { output_type: 'error', ename: 'E', evalue: attack, traceback: [attack] },
        { output_type: 'display_data', data: { 'text/plain': attack }, metadata: {} },
      ]),
      cell('raw', attack),
    ]);
    expect(page).not.toContain('<script');
    expect(page).toContain('<pre class="stdout">red &#60;/pre&#62;');
  });

  test('allows neither scripts nor anything from elsewhere', () => {
    expect(renderNotebook([])).toContain(
      `content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"`,
    );
  });

  test('shows images as data, whatever they contain', () => {
    expect(shown({ 'image/png': 'iVBO\nRw0=' })).toContain(
      '<img alt="" src="data:image/png;base64,iVBORw0=">',
    );
    expect(shown({ 'image/png': '"><script>' })).not.toContain('<script');
    expect(shown({ 'image/svg+xml': '<svg onload="alert(1)"/>' })).toContain(
      'src="data:image/svg+xml;base64,PHN2ZyB',
    );
    expect(shown({ 'text/html': 'x', 'text/plain': 'y' })).toContain('<div class="html">x</div>');
    expect(shown({ 'image/png': 7, 'text/plain': 'y' })).toContain('<pre>y</pre>');
  });
});

describe('HTML of a value', () => {
  test.each([
    [
      '<table border="1" onclick="x()"><tr><td>1 &amp; 2 &lt; 3</td></tr></table>',
      '<table><tr><td>1 &amp; 2 &lt; 3</td></tr></table>',
    ],
    ['a<script>alert("</b>")</script>b', 'ab'],
    ['<script>never closed', ''],
    ['<style>td{}</style><TH>x</TH>', '<th>x</th>'],
    ['<img src=x onerror=alert(1)><a href="javascript:x">link</a>', 'link'],
    ['<!-- <b> -->x<!-- y', 'x'],
    ['<b>open <i>both', '<b>open <i>both</i></b>'],
    ['</div></section>x', 'x'],
    ['<p><b>crossed</p></b>', '<p><b>crossed</b></p>'],
    ['a<br/>b<hr>', 'a<br>b<hr>'],
    ['1 < 2 > 0 & "q"', '1 &lt; 2 &gt; 0 &amp; &quot;q&quot;'],
    ['<<b>>', '&lt;<b>&gt;</b>'],
    ['<b', '&lt;b'],
    ['<svg><script>alert(1)</script></svg>after', 'after'],
    ['<sc<script>x</script>ript>alert(1)', '&lt;script&gt;alert(1)'],
  ])('%j becomes %j', (html, clean) => expect(sanitise(html)).toBe(clean));

  test('takes a time to reduce that grows with its length', () => {
    for (const piece of ['<b', '<script', '<!--', '</b>', '<b>', '&', '< '])
      expect(sanitise(piece.repeat(50_000)).length).toBeLessThan(3_000_000);
  });
});

describe('an executed notebook', () => {
  test('is nbformat 4.5 whatever ids it had', () => {
    const cells = [
      cell('markdown', 'm', [], 'same'),
      cell('code', '1', [], 'same'),
      cell('raw', 'r', [], 'cell-4'),
      cell('code', ''),
    ];
    const notebook = toNotebookJson(
      cells,
      pyodideMetadata(
        { cells: [], metadata: { kernelspec: { name: 'python3', display_name: 'P' } } },
        '3.14.2',
      ),
    );
    expect(nbformatProblems(JSON.parse(JSON.stringify(notebook)))).toEqual([]);
    expect(notebook).toMatchObject({
      metadata: { kernelspec: { display_name: 'P' }, language_info: { version: '3.14.2' } },
    });
  });

  test('is refused by the checker of these tests when it is invalid', () => {
    const wrong = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [{ cell_type: 'code', id: 'a', metadata: {}, source: 1, outputs: [{}] }],
    };
    expect(nbformatProblems(wrong).length).toBeGreaterThan(3);
  });

  test('accepts only real answers of the kernel', () => {
    for (const text of ['[]', '{}', 'null'])
      expect(() => parseCellRun(text)).toThrow('the kernel gave no answer');
    expect(parseCellRun('{"outputs": [{"output_type": "other"}, 1], "error": null}')).toEqual({
      outputs: [],
      error: undefined,
    });
    for (const text of ['{}', '[]']) expect(() => parsePlan(text)).toThrow('not a plan');
  });
});
