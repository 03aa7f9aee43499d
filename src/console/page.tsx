import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { site } from './site-of.ts';

/** The screen's heading gets the focus, but not when the page was just loaded. */
let isFirst = true;

type Props = {
  readonly title: string;
  /** beside the heading */
  readonly aside?: ComponentChildren;
  /** the screen itself is still loaded: its own page gets the focus */
  readonly isComing?: boolean;
  readonly children: ComponentChildren;
};

/** A screen: its heading has the focus when it appears, and the window has its title. */
export function Page({ title, aside, isComing = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once: later, it would take the focus from a field where somebody writes already.
  useLayoutEffect(() => {
    if (isComing) return;
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  const name = site.value.name;
  useEffect(() => {
    document.title = `${title} – ${name}`;
  }, [title, name]);
  return (
    <>
      <div class="row title">
        <h1 ref={heading} tabIndex={-1} class="grow">
          {title}
        </h1>
        {aside}
      </div>
      {children}
    </>
  );
}
