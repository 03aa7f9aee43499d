/** A place in the text: line and column count from 1. */
export type TokenPosition = { readonly line: number; readonly column: number };

/** A literal piece of an f-string, or a `{...}` field with the tokens of its expression. */
export type FieldPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'field';
      readonly tokens: readonly Token[];
      /** `{x=}`: the text before the value, unchanged. */
      readonly debug: string | undefined;
      readonly conversion: 'r' | 's' | 'a' | undefined;
      readonly spec: readonly FieldPart[] | undefined;
    };

export type Token = { readonly at: TokenPosition } & (
  | { readonly kind: 'name' | 'keyword' | 'operator'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number | bigint; readonly isFloat: boolean }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'fstring'; readonly parts: readonly FieldPart[] }
  | { readonly kind: 'newline' | 'indent' | 'dedent' | 'end' }
);

/** A token in an error message. */
export function shownToken(token: Token): string {
  switch (token.kind) {
    case 'name':
    case 'keyword':
    case 'operator':
      return `'${token.text}'`;
    case 'number':
      return `the number ${String(token.value)}`;
    case 'string':
    case 'fstring':
      return 'a string';
    case 'newline':
      return 'the end of the line';
    case 'indent':
      return 'an indented block';
    case 'dedent':
      return 'the end of the block';
    case 'end':
      return 'the end of the text';
    default:
      return token satisfies never;
  }
}
