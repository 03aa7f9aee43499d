/** An issuer did not sign the user in, or its answer cannot be believed, in public words. */
export class SignInRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SignInRefused';
  }
}
