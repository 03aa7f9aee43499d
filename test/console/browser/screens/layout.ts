import type { ConsoleWindow } from '../open-console.ts';

/** Pixels that letters of neighbours may share: rectangles of text are higher than its letters. */
const SHARED_PX = 3;

/**
 * What a person would find broken in a page: text that is cut off, sticks out of its box or lies
 * on other text, controls on other controls, and a page that is wider than its window.
 *
 * @returns one text each, with the element's name and the beginning of its text
 */
export function layoutFaults({ page }: ConsoleWindow): Promise<readonly string[]> {
  return page.evaluate(`(${findFaults})(${SHARED_PX})`);
}

/** Runs in the page, whose compiler is none: plain JavaScript. */
const findFaults = String.raw`(shared) => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth)
    faults.push('the page is ' + root.scrollWidth + ' px wide in ' + root.clientWidth);
  const nameOf = (element) =>
    element.tagName.toLowerCase() + [...element.classList].map((name) => '.' + name).join('') +
    ' "' + element.textContent.trim().replace(/\s+/g, ' ').slice(0, 40) + '"';
  // What only screen readers have, what scrolls or lies above the page on purpose, and the slider,
  // whose thumb stands half outside at its ends.
  const apart = '.unseen, .skip, .full thead, option, iframe, .log, .part, .proposals, .numbers, .time-line, pre';
  const top = document.querySelector('dialog[open]') ?? document.body;
  const shown = [...top.querySelectorAll('*')].filter(
    (element) => element.closest(apart) === null &&
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }));
  for (const element of shown) {
    const { display, overflowX, overflowY, textOverflow } = getComputedStyle(element);
    const isBox = !['inline', 'contents'].includes(display) && element.namespaceURI.endsWith('xhtml');
    const isField = element.matches('input, select, textarea');
    if (!isBox || isField || textOverflow === 'ellipsis') continue;
    const scrolls = (value) => value === 'auto' || value === 'scroll';
    if (!scrolls(overflowX) && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      faults.push(nameOf(element) + ' has ' + element.scrollWidth + ' px in ' + element.clientWidth);
    if (overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1)
      faults.push(nameOf(element) + ' is cut off below');
  }
  // The part of a rectangle that can be seen: boxes around it may scroll.
  const seenPart = (element, { left, top, right, bottom }) => {
    const part = { left, top, right, bottom };
    for (let at = element; at !== null && at !== root; at = at.parentElement) {
      if (getComputedStyle(at).overflowX === 'visible') continue;
      const box = at.getBoundingClientRect();
      part.left = Math.max(part.left, box.left);
      part.right = Math.min(part.right, box.right);
      part.top = Math.max(part.top, box.top);
      part.bottom = Math.min(part.bottom, box.bottom);
    }
    return part;
  };
  const places = shown.flatMap((element) => {
    const isControl = element.matches('button, input:not([type=range]), select, textarea, summary');
    const texts = [...element.childNodes].filter(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '');
    const rectangles = isControl
      ? [element.getBoundingClientRect()]
      : texts.flatMap((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [...range.getClientRects()];
        });
    return rectangles.map((each) => ({ element, ...seenPart(element, each) }));
  });
  const known = new Set();
  places.forEach((a, index) => {
    for (const b of places.slice(index + 1)) {
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const fault = nameOf(a.element) + ' and ' + nameOf(b.element) + ' overlap';
      if (wide > shared && high > shared && !known.has(fault)) known.add(fault);
    }
  });
  return [...faults, ...known];
}`;
