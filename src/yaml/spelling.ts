/** How a scalar is written; `any` is the simplest style that its text allows. */
export type Style = 'any' | 'literal' | 'folded' | 'single' | 'double';

/** A scalar without what stands around it. */
export type ScalarText = {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: Style;
  /**
   * Whether the plain text is read back as what it is: `8` as the number, not for the string '8'.
   */
  readonly isPlain: boolean;
  /**
   * The lines of a folded text as they are written, without indentation; `text` is what they mean.
   */
  readonly lines?: readonly string[];
};
