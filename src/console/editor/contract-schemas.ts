import { draft } from '../ask/draft.ts';
import { api, outcomeOf } from '../api.ts';
import { site } from '../site-of.ts';
import { knownOf } from './known.ts';
import type { AskSchemas, Schema } from './schema.ts';

/** `components.schemas` of the contract; undefined until it is read. */
let named: Schema | undefined;
let reading: Promise<boolean> | undefined;

/** Reads the contract once. @returns whether it is there; without it the editor proposes nothing */
export function readSchemas(): Promise<boolean> {
  reading ??= outcomeOf(api.GET('/openapi.json')).then((outcome) => {
    if (outcome.ok) named = Object(Object(outcome.data)['components'])['schemas'] ?? {};
    else reading = undefined;
    return outcome.ok;
  });
  return reading;
}

/** What an ask of the task type that is shown can be; undefined until the contract is read. */
export function askSchemas(): AskSchemas | undefined {
  return named && { named, known: knownOf(site.value, draft.value.type) };
}
