import { canEnclose } from './words.ts';

/**
 * So often in a row bubblewrap must end before a child is ready, until it counts as not working:
 * once may be a machine that has no process to spare.
 */
const MOST_REFUSALS = 2;

/** Where distributions and administrators put programs; npm and shells add folders of others. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Whether the system encloses sandbox children here. All sandboxes of a service share it, so that
 * what was found out once holds for later children, whatever happens to them.
 */
export class Enclosing {
  /** folders in which bubblewrap is sought */
  readonly path: string;
  readonly #tell: (why: string) => void;
  #works = canEnclose() ? null : false;
  #refusals = 0;

  /** @param tell is called once, when bubblewrap does not work */
  constructor(tell: (why: string) => void = () => undefined, path = SYSTEM_PATH) {
    this.#tell = tell;
    this.path = path;
  }

  /** Null until a child was ready in there, or bubblewrap ended before that. */
  get works(): boolean | null {
    return this.#works;
  }

  confirm(): void {
    this.#works ??= true;
  }

  /** Bubblewrap is missing, ended before a child was ready, or held nothing. */
  refuse(why: string): void {
    if (this.#works !== null) return;
    this.#refusals += 1;
    if (this.#refusals < MOST_REFUSALS) return;
    this.#works = false;
    this.#tell(why);
  }
}
