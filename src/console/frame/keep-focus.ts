/** The element with the focus, and those around it, from the inside out. */
type Place = {
  readonly element: Element;
  /** when it got the focus: while it works, it says so instead */
  readonly text: string;
  /** each with its number among its siblings, which it has no more when it is gone */
  readonly around: readonly { readonly element: Element; readonly at: number }[];
};

const CONTROLS = 'a[href], button, input, select, textarea, summary';
const HEADINGS = 'h1, h2, h3, [role=status]';

/**
 * Keeps the focus in the page when the element that has it goes away: the same control of the row
 * that takes its place gets it, or the heading or status of what is left around it. Browsers give
 * it to the body, from where a reader begins at the top again.
 */
export function keepFocus(): void {
  let last: Place | undefined;
  document.addEventListener('focusin', ({ target }) => {
    last = target instanceof Element ? placeOf(target) : undefined;
  });
  document.addEventListener('focusout', ({ target }) => {
    queueMicrotask(() => {
      // Somebody clicked beside everything.
      if (last?.element === target && last.element.isConnected && isLost()) last = undefined;
    });
  });
  new MutationObserver(() => {
    if (last === undefined || last.element.isConnected || !isLost()) return;
    focusOn(successorOf(last));
  }).observe(document.body, { childList: true, subtree: true });
}

/** Has nothing the focus? */
export function isLost(): boolean {
  return document.activeElement === document.body;
}

/** Gives an element the focus, also one that keys alone do not reach. */
export function focusOn(target: HTMLElement | null | undefined): void {
  if (target === null || target === undefined) return;
  if (!target.matches(CONTROLS) && !target.hasAttribute('tabindex')) target.tabIndex = -1;
  target.focus();
}

/** What has the focus in a row: its control with this text, or its first, or its heading. */
export function controlOf(row: Element | undefined, text = ''): HTMLElement | undefined {
  const controls = [...(row?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])];
  return (
    controls.find(({ textContent }) => textContent === text) ??
    controls[0] ??
    row?.querySelector<HTMLElement>('th, h3') ??
    undefined
  );
}

function placeOf(element: Element): Place {
  const around: { readonly element: Element; readonly at: number }[] = [];
  for (let each: Element | null = element; each !== null; each = each.parentElement)
    around.push({ element: each, at: [...(each.parentElement?.children ?? [])].indexOf(each) });
  return { element, text: element.textContent, around };
}

function successorOf({ text, around }: Place): HTMLElement | undefined {
  const left = around.findIndex((each) => each.element.isConnected);
  const [parent, gone] = [around[left]?.element, around[left - 1]];
  if (parent === undefined || gone === undefined) return undefined;
  const rows = parent.matches('ul, ol, tbody') ? parent.children : [];
  const row = rows[Math.min(gone.at, rows.length - 1)];
  return controlOf(row, text) ?? headingOf(parent);
}

/** The first heading or status in an element, or in one around it. */
function headingOf(element: Element): HTMLElement | undefined {
  for (let each: Element | null = element; each !== null; each = each.parentElement) {
    const heading = each.querySelector<HTMLElement>(HEADINGS);
    if (heading !== null) return heading;
  }
  return undefined;
}
