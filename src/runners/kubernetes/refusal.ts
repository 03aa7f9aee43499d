/**
 * The reason when an object of that name is there. Other conflicts pass, for example two requests
 * that a quota counts at the same time.
 */
export const ALREADY_EXISTS = 'AlreadyExists';

/** The API server answered no. */
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
