import { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';

/** A parameter of the `__init__` that a data class gets. */
export type DocParameter = {
  readonly name: string;
  readonly annotation: Value | undefined;
  readonly fallback: { readonly value: Value } | 'factory' | undefined;
  readonly isKeyword: boolean;
};

/**
 * The docstring of a data class that has none of its own: how it is called, in
 * the words of `inspect.signature`.
 */
export function dataclassDoc(name: string, parameters: readonly DocParameter[]): string {
  const star = parameters.findIndex(({ isKeyword }) => isKeyword);
  const shown = parameters.map((parameter) => shownParameter(parameter));
  if (star >= 0) shown.splice(star, 0, '*');
  return `${name}(${shown.join(', ')})`;
}

function shownParameter({ name, annotation, fallback }: DocParameter): string {
  const kind = annotation === undefined ? '' : `: ${shownAnnotation(annotation)}`;
  if (fallback === undefined) return name + kind;
  return `${name}${kind}${kind === '' ? '=' : ' = '}${fallback === 'factory' ? '<factory>' : repr(fallback.value)}`;
}

/** As `inspect.formatannotation`: classes by their names, those of `typing` without it. */
function shownAnnotation(annotation: Value): string {
  return annotation instanceof PyClass
    ? annotation.label.replace(/^typing\./, '')
    : repr(annotation);
}
