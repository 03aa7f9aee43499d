import { Problem } from '../../words/problem.ts';

/**
 * @param what names the place: a parameter of the query, or a key of the body
 * @param text goes on with the sentence: `must be later than from`
 * @returns the problem `parameter-invalid` (400)
 */
export function faulty(what: 'parameter' | 'key', path: string, text: string): Problem {
  return new Problem('parameter-invalid', `The ${what} ${path} ${text}.`, {
    errors: [{ path, text }],
  });
}
