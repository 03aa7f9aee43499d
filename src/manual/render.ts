import { posix } from 'node:path';
import MarkdownIt from 'markdown-it';

/** A heading of a page and the text below it, with code. */
type ManualSection = {
  /** fragment of the page's address */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
};

/** A link of a page, and the heading above it. */
export type ManualLink = {
  readonly heading: string;
  readonly text: string;
  /** path of a page, such as `guides/deploy` */
  readonly path: string;
};

/** A rendered document. */
export type RenderedPage = {
  readonly title: string;
  readonly html: string;
  readonly sections: readonly [ManualSection, ...ManualSection[]];
  readonly links: readonly ManualLink[];
};

/** The page of a file that a document links to; undefined for a file without a page. */
export type ResolveLink = (file: string) => string | undefined;

const markdown = new MarkdownIt({ html: false, linkify: false });

type Token = ReturnType<typeof markdown.parse>[number];
const { escapeHtml } = markdown.utils;

// A wide table scrolls by itself, so that the page does not.
markdown.renderer.rules['table_open'] = () => '<div class="wide" tabindex="0"><table>';
markdown.renderer.rules['table_close'] = () => '</table></div>';
// Long names, such as keys of the site file, break between their parts and nowhere else.
markdown.renderer.rules['code_inline'] = (tokens, index) => {
  const parts = (tokens[index]?.content ?? '').split(/(?<=[\w>\]][._/{=])(?=[\w<"])/);
  return `<code>${parts.map(escapeHtml).join('<wbr>')}</code>`;
};

/**
 * Renders a document. Turns links to documents into links to their pages, and keeps only the text
 * of a link or picture of anything else.
 *
 * @param file path of the document from the project's root
 * @param resolve gives the page of a file, relative to this page
 */
export function renderPage(file: string, text: string, resolve: ResolveLink): RenderedPage {
  const tokens = markdown.parse(text, {});
  const anchors = new Map<string, number>();
  const sections: ManualSection[] = [];
  const links: ManualLink[] = [];
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const heading = textOf(inline);
      const anchor = freshAnchor(anchors, heading);
      token.attrSet('id', anchor);
      sections.push({ anchor, heading, text: '' });
    }
    if (token.type === 'inline') links.push(...redirect(token, file, resolve, sections.at(-1)));
    const last = sections.pop();
    if (last === undefined) continue;
    const isHeading = tokens[index - 1]?.type === 'heading_open';
    const more = isHeading ? '' : textOf(token);
    sections.push(more === '' ? last : { ...last, text: `${last.text} ${more}`.trim() });
  }
  const [first = { anchor: '', heading: file, text: '' }, ...rest] = sections;
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { title: first.heading, html, sections: [first, ...rest], links };
}

/** Escapes a text for HTML text and values of attributes. */
export function escaped(text: string): string {
  return escapeHtml(text);
}

/** Points the links of a paragraph to pages. @returns the links to pages */
function redirect(
  inline: Token,
  file: string,
  resolve: ResolveLink,
  section: ManualSection | undefined,
): readonly ManualLink[] {
  const links: ManualLink[] = [];
  const children = inline.children ?? [];
  let dropped = false;
  for (const [index, token] of children.entries()) {
    if (token.type === 'link_close' && dropped) {
      token.hidden = true;
      dropped = false;
    }
    if (token.type === 'image') showPicture(token, file, resolve);
    const href = token.type === 'link_open' ? token.attrGet('href') : null;
    if (typeof href !== 'string' || /^(?:[a-z]+:|#)/i.test(href)) continue;
    const [target = '', fragment] = href.split('#');
    const path = posix.join(posix.dirname(file), target);
    const page = resolve(path);
    if (page === undefined) {
      token.hidden = true;
      dropped = true;
      continue;
    }
    token.attrSet('href', fragment === undefined ? page : `${page}#${fragment}`);
    const text = children[index + 1]?.content ?? page;
    links.push({ heading: section?.heading ?? '', text, path: page });
  }
  inline.children = children.filter(
    ({ type, hidden }) => !(hidden && (type === 'link_open' || type === 'link_close')),
  );
  return links;
}

/** Points a picture to its address in the service, or keeps its text. */
function showPicture(image: Token, file: string, resolve: ResolveLink): void {
  const place = resolve(posix.join(posix.dirname(file), String(image.attrGet('src'))));
  if (place === undefined) image.type = 'text';
  else image.attrSet('src', place);
}

/** The plain text of a block. */
function textOf({ type, content, children }: Token): string {
  if (type === 'fence' || type === 'code_block') return content;
  if (type !== 'inline') return '';
  return (children ?? [])
    .map((child) => (child.type === 'softbreak' ? ' ' : child.content))
    .join('');
}

/** GitHub's anchor of a heading; the second heading of the same name gets `-1`. */
function freshAnchor(used: Map<string, number>, heading: string): string {
  const anchor = heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const before = used.get(anchor) ?? 0;
  used.set(anchor, before + 1);
  return before === 0 ? anchor : `${anchor}-${before}`;
}
