import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  XmlBufferInputProvider,
  XmlDocument,
  xmlRegisterInputProvider,
  XsdValidator,
} from 'libxml2-wasm';

const folder = fileURLToPath(new URL('../../../../shared/schemas/uws/', import.meta.url));

/**
 * The official schema is read from beside the project; without it the tests
 * that need it are skipped by name.
 */
export const hasSchema = existsSync(`${folder}UWS.xsd`);

/** Checks documents against UWS.xsd. @returns what is wrong, empty when the document is valid. */
export function openSchema(): (xml: string) => string {
  xmlRegisterInputProvider(
    new XmlBufferInputProvider({ 'XLINK.xsd': readFileSync(`${folder}XLINK.xsd`) }),
  );
  const schema = XmlDocument.fromBuffer(readFileSync(`${folder}UWS.xsd`));
  const validator = XsdValidator.fromDoc(schema);
  return (xml) => {
    try {
      const document = XmlDocument.fromString(xml);
      try {
        validator.validate(document);
        return '';
      } finally {
        document.dispose();
      }
    } catch (error) {
      return error instanceof Error ? error.message || 'invalid' : String(error);
    }
  };
}
