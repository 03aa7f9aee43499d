import { Ajv2020 } from 'ajv/dist/2020.js';
import { toldFaults } from '../words/faults.ts';
import { Problem } from '../words/problem.ts';

/**
 * Checks documents by a schema of the contract, which has an ask of a dialect.
 *
 * @returns a check of documents; it throws Problem `body-not-an-ask` (400) with the first 100 faults
 */
export function openShape(contract: object, schema: string): (document: unknown) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(contract, 'contract');
  const validate = ajv.getSchema(`contract#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`the contract has no schema ${schema}`);
  return (document) => {
    if (validate(document) === true) return;
    const found = (validate.errors ?? []).map(({ instancePath, params, message }) => {
      const property: unknown = params['missingProperty'] ?? params['additionalProperty'];
      return {
        path: typeof property === 'string' ? `${instancePath}/${property}` : instancePath,
        message: message ?? 'is wrong',
      };
    });
    const { faults, detail } = toldFaults(found, document);
    throw new Problem(
      'body-not-an-ask',
      `The task description does not match the contract: ${detail}.`,
      { errors: faults },
    );
  };
}
