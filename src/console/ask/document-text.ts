/** A document as text for people and for the service: JSON, which is YAML, too. */
export function documentText(document: object): string {
  return JSON.stringify(document, null, 2);
}
