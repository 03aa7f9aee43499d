import { escaped, type ManualLink } from './render.ts';
import type { Hit } from './search.ts';

/** What every page shows around its own text. */
type Frame = {
  /** path of the page below `/docs/`, such as `guides/deploy` */
  readonly path: string;
  readonly title: string;
  readonly menu: readonly ManualLink[];
  /** the words of the search */
  readonly words?: string;
};

/** Prints a whole page. All addresses are relative, because the service may be below a path. */
export function printManualPage({ path, title, menu, words = '' }: Frame, body: string): string {
  const up = upFrom(path);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · ExecutionPlanner</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}manual.css">
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="home" href="${up}index">ExecutionPlanner</a>
<form action="${up}search" role="search">
<input type="search" name="q" value="${escaped(words)}" aria-label="Search the documents"
 placeholder="Search" maxlength="100" required>
<button>Search</button>
</form>
<a href="${up}../docs">API</a>
<a class="to-menu" href="#menu">Contents</a>
</header>
<div class="page">
<main id="text">
${body}
</main>
<nav id="menu" aria-label="Contents">
${printMenu(path, menu)}
</nav>
</div>
</body>
</html>
`;
}

/** Prints the results of a search as the text of a page. */
export function printHits(words: string, hits: readonly Hit[]): string {
  const count = hits.length === 0 ? 'Nothing' : `${hits.length}`;
  const items = hits.map(
    ({ page, anchor, title, heading, excerpt }) =>
      `<li><a href="${escaped(page)}#${escaped(anchor)}">${escaped(heading)}</a>` +
      `<span class="from">${heading === title ? '' : escaped(title)}</span>` +
      `<p>${escaped(excerpt)}</p></li>`,
  );
  return `<h1>${count} found for “${escaped(words)}”</h1>\n<ol class="hits">\n${items.join('\n')}\n</ol>`;
}

function printMenu(path: string, menu: readonly ManualLink[]): string {
  const up = upFrom(path);
  const headings = [...new Set(menu.map(({ heading }) => heading))];
  const item = (link: ManualLink): string => {
    const current = link.path.split('#')[0] === path ? ' aria-current="page"' : '';
    return `<li><a href="${up}${escaped(link.path)}"${current}>${escaped(link.text)}</a></li>`;
  };
  return headings
    .map((heading) => {
      const items = menu.filter((link) => link.heading === heading).map(item);
      return `<h2>${escaped(heading)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`;
    })
    .join('\n');
}

function upFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}
