/** The API server answered that it would not. */
export class ClusterRefusal extends Error {
  override readonly name = 'ClusterRefusal';
  readonly status: number;
  /** its word for it, such as `AlreadyExists`; empty when it gives none */
  readonly reason: string;

  constructor(status: number, message: string, reason = '') {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}
