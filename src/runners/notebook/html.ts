import MarkdownIt from 'markdown-it';
import type { CellOutput, ExecutedCell, MimeBundle } from './executed.ts';
import { sanitise } from './sanitise.ts';

// Raw HTML in markdown is shown as text; markdown-it itself refuses javascript:,
// vbscript:, file: and data: links.
const markdown = new MarkdownIt({ html: false, linkify: false });

/** Text as HTML text or attribute value. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

// The page has no use for a terminal's colours.
const COLOURS = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;?]*[A-Za-z]`, 'g');

const IMAGES = ['image/png', 'image/jpeg', 'image/svg+xml'];

const STYLE = `
body { max-width: 54rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; background: #fff;
  font: 1rem/1.5 system-ui, sans-serif; }
section { margin: 1rem 0; }
pre, code { font: 0.875rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { margin: 0; padding: 0.6rem 0.8rem; overflow-x: auto; }
.code { position: relative; }
.count { color: #57606a; font: 0.75rem/1.45 ui-monospace, monospace; min-height: 1.1em; }
.source { background: #f6f8fa; border: 1px solid #d0d7de; border-radius: 6px; }
.stderr { background: #fff8e5; }
.error { background: #ffebe9; border-left: 3px solid #cf222e; }
table { border-collapse: collapse; margin: 0.6rem 0; }
th, td { border: 1px solid #d0d7de; padding: 0.25rem 0.6rem; text-align: left; }
img { max-width: 100%; }
.html { padding: 0.3rem 0.8rem; overflow-x: auto; }
`;

/**
 * The executed notebook as one page. It has no script and loads nothing (its own policy forbids
 * both). Everything from the notebook is escaped or reduced to harmless elements.
 */
export function renderNotebook(cells: readonly ExecutedCell[]): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(titleOf(cells))}</title>
<style>${STYLE}</style>
</head>
<body>
${cells.map(renderCell).join('\n')}
</body>
</html>
`;
}

function titleOf(cells: readonly ExecutedCell[]): string {
  return cells.map(headingOf).find(Boolean) ?? 'Notebook';
}

function headingOf({ cell }: ExecutedCell): string | undefined {
  return cell.kind === 'markdown' ? /^#+\s+(.+)$/m.exec(cell.source)?.[1] : undefined;
}

function renderCell({ cell, count, outputs }: ExecutedCell): string {
  switch (cell.kind) {
    case 'markdown':
      return `<section class="markdown">${markdown.render(cell.source)}</section>`;
    case 'raw':
      return `<section><pre>${escapeHtml(cell.source)}</pre></section>`;
    case 'code': {
      const input = `<pre class="source"><code>${escapeHtml(cell.source)}</code></pre>`;
      const results = outputs
        .map((output) => `<div class="output">${renderOutput(output)}</div>`)
        .join('\n');
      const number = `<div class="count">${count === undefined ? '' : `[${count}]`}</div>`;
      return `<section class="code">${number}${input}\n${results}</section>`;
    }
    default:
      return cell.kind satisfies never;
  }
}

function renderOutput(output: CellOutput): string {
  switch (output.output_type) {
    case 'stream':
      return `<pre class="${output.name === 'stderr' ? 'stderr' : 'stdout'}">${escapeHtml(plain(output.text))}</pre>`;
    case 'display_data':
    case 'execute_result':
      return renderBundle(output.data);
    case 'error':
      return `<pre class="error">${escapeHtml(plain(output.traceback.join('\n')))}</pre>`;
    default:
      return output satisfies never;
  }
}

function plain(text: string): string {
  return text.replaceAll(COLOURS, '');
}

/** The richest form that can be shown safely: image, HTML, markdown, text. */
function renderBundle(data: MimeBundle): string {
  for (const mime of IMAGES) {
    const content = textOf(data, mime);
    if (content !== undefined) return renderImage(mime, content);
  }
  const html = textOf(data, 'text/html');
  if (html !== undefined) return `<div class="html">${sanitise(html)}</div>`;
  const source = textOf(data, 'text/markdown');
  if (source !== undefined) return markdown.render(source);
  return `<pre>${escapeHtml(plain(textOf(data, 'text/latex') ?? textOf(data, 'text/plain') ?? ''))}</pre>`;
}

function textOf(data: MimeBundle, mime: string): string | undefined {
  const value = data[mime];
  return typeof value === 'string' ? value : undefined;
}

function renderImage(mime: string, content: string): string {
  // An image element runs no script, not even one inside an SVG.
  const isText = mime === 'image/svg+xml';
  const base64 = isText
    ? Buffer.from(content).toString('base64')
    : content.replaceAll(/[^\w+/=]/g, '');
  return `<img alt="" src="data:${mime};base64,${base64}">`;
}
