/** The name of a distribution as indexes compare it (PEP 503). */
export function normalisedName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
