import type { ErrorRequestHandler } from 'express';
import { readerProblem } from '../words/body-problems.ts';
import { Problem } from '../words/problem.ts';

/**
 * Prints problems below the job list as UWS clients read them: text/plain that starts with the
 * code. Passes all other errors on.
 */
export const uwsErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const problem = error instanceof Problem ? error : readerProblem(error);
  if (problem === undefined || res.headersSent) return next(error);
  for (const [name, value] of Object.entries(problem.details.headers ?? {})) {
    res.set(name, typeof value === 'string' ? value : [...value]);
  }
  res.status(problem.status).type('text/plain').send(`${problem.code}: ${problem.message}\n`);
};
