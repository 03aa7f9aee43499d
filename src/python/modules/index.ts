/** The modules of Python, and what an embedder binds or uses of them. */
export { standardModules } from './table.ts';
export { requestsModules } from './requests/module.ts';
export type {
  HttpAnswer,
  HttpBody,
  HttpErrorName,
  HttpRequest,
  Pair,
  Send,
} from './requests/exchange.ts';
export { AbstractClass } from '../builtins/class-tests.ts';
export { enumBase, enumeration } from './enum/module.ts';
export { loggerNamed } from './logging/module.ts';
export { translate as translateRegex } from './re/pattern.ts';
export { yamlTimestamp } from './datetime/timestamp.ts';
export { comparePackageVersions } from './version.ts';
