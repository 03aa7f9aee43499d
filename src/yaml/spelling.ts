/** The style of a scalar; `any` is the simplest one that its text allows. */
type Style = 'any' | 'literal' | 'folded' | 'single' | 'double';

/** A scalar without the marks and comments around it. */
export type ScalarText = {
  readonly kind: 'scalar';
  readonly text: string;
  readonly style: Style;
  /**
   * Whether the plain text is read back as the same value: `8` for the number, not for the string
   * '8'.
   */
  readonly isPlain: boolean;
  /** The lines of a folded text in the file, without indentation; `text` is their meaning. */
  readonly lines?: readonly string[];
};
