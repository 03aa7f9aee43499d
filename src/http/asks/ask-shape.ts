import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SeedAsk } from '../../dialects/seed/read.ts';
import { Problem } from '../../words/problem.ts';
import { toldFaults } from '../problems.ts';
import type { Contract } from '../service-routes.ts';

/** Holds a document against the shape of an ask, as the contract has it. @throws Problem `body-not-an-ask` (400) with every fault, the first 100 of more. */
export type AskShape = (document: unknown) => SeedAsk;

export const openAskShape = (contract: Contract): AskShape => {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(contract.document, 'contract');
  const validate = ajv.getSchema<SeedAsk>('contract#/components/schemas/Ask');
  if (validate === undefined) throw new Error('the contract has no schema Ask');
  return (document) => {
    if (validate(document)) return Object(document);
    const { faults, detail } = toldFaults((validate.errors ?? []).map(({ instancePath, message }) => ({ path: instancePath, message: message ?? 'is wrong' })));
    throw new Problem('body-not-an-ask', `The task description does not have the shape of the contract: ${detail}.`, { errors: faults });
  };
};
