import { PyClass } from '../../objects/class.ts';
import type { Value } from '../../objects/object.ts';
import { repr } from '../../text/repr.ts';

/** A parameter of the generated `__init__`. */
export type DocParameter = {
  readonly name: string;
  readonly annotation: Value | undefined;
  readonly fallback: { readonly value: Value } | 'factory' | undefined;
  readonly isKeyword: boolean;
};

/** The default docstring of a data class: its signature in the words of `inspect.signature`. */
export function dataclassDoc(name: string, parameters: readonly DocParameter[]): string {
  const star = parameters.findIndex(({ isKeyword }) => isKeyword);
  const shown = parameters.map(shownParameter);
  if (star >= 0) shown.splice(star, 0, '*');
  return `${name}(${shown.join(', ')})`;
}

function shownParameter({ name, annotation, fallback }: DocParameter): string {
  const kind = annotation === undefined ? '' : `: ${shownAnnotation(annotation)}`;
  if (fallback === undefined) return name + kind;
  return `${name}${kind}${kind === '' ? '=' : ' = '}${fallback === 'factory' ? '<factory>' : repr(fallback.value)}`;
}

/** As `inspect.formatannotation`: classes by name, those of `typing` without the module. */
function shownAnnotation(annotation: Value): string {
  return annotation instanceof PyClass
    ? annotation.label.replace(/^typing\./, '')
    : repr(annotation);
}
