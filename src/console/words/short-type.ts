/** The last part of the URI of a type of tasks or GPUs: its name for readers. */
export function shortTypeOf(type: string): string {
  return type.split('/').at(-1) ?? type;
}
