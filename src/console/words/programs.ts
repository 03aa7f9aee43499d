/** Texts of how programs sign in. */
export const PROGRAMS = {
  title: 'For programs',
  lead:
    'A program says who it is in the header Authorization of each request. This service makes no ' +
    'tokens: they come from those who know you.',
  oidc: (issuer: string) => `With an access token of ${issuer}:`,
  token: 'With the token that the operator gave you:',
  password: 'With your user and password, for which curl asks:',
  anonymous: 'Without that a program is nobody in particular:',
  user: 'USER',
} as const;
