import type { ComponentChildren } from 'preact';

type Props = { readonly title: string; readonly children: ComponentChildren };

/** A part of a screen with its heading. */
export function Card({ title, children }: Props) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
