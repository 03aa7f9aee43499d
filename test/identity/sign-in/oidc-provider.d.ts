/** What the tests use of a package that has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export type Configuration = Readonly<Record<string, unknown>>;

  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
  }
}
