/**
 * How a user signed in, and what the site's files must still have for the sign-in to go on: the
 * digest of the line in the password file, of the site's token, or the issuer.
 */
export type Proof = { readonly kind: 'password' | 'token' | 'oidc'; readonly proof: string };

/** A user who proved who they are, and may sign in. */
export type ProvenUser = Proof & {
  readonly owner: string;
  readonly user: string;
  readonly roles: readonly string[];
  /** the latest end of the sign-in, milliseconds since 1970; undefined without one */
  readonly until?: number;
};

/** Where a sign-in comes from: the client's address and its User-Agent. */
export type Origin = { readonly address: string; readonly agent: string };

/** A user who signed in with a browser, until a time. */
export type SignIn = Proof &
  Origin & {
    readonly id: string;
    readonly owner: string;
    readonly user: string;
    /** at the sign-in; those of the site's files may have changed since */
    readonly roles: readonly string[];
    /** milliseconds since 1970 */
    readonly since: number;
    readonly until: number;
  };
