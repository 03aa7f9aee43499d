/**
 * The reason of a refusal because something of that name is there. Other conflicts, such as those
 * of two requests that a quota counts at the same time, pass.
 */
export const ALREADY_EXISTS = 'AlreadyExists';

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
