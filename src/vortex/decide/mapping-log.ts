import { PyList, repr, str } from '../../python/index.ts';
import type { Transcript } from '../../python/index.ts';
import type { Verdict } from '../decision.ts';
import type { Entity } from '../entity/entity.ts';

const [DEBUG, ERROR] = [10, 40];

/** What TPV itself logs during a mapping, in its words. Makes no text without a transcript. */
export class MappingLog {
  readonly #transcript: Transcript | undefined;

  constructor(transcript: Transcript | undefined) {
    this.#transcript = transcript;
  }

  /**
   * A destination gave the job up, and the next one follows. TPV adds a traceback of its own files.
   */
  leaving(destination: Entity, verdict: Verdict): void {
    this.#transcript?.log('tpv.core.mapper', ERROR, () => {
      const reason = verdict.message ?? '';
      return (
        `Destination entity: ${str(destination)} matched but could not fulfill requirements ` +
        `due to: ${reason}. Trying next candidate...`
      );
    });
  }

  /** How TPV puts the matching destinations in order. */
  ranking(destinations: readonly Entity[], entity: Entity): void {
    const isOwn = entity.rank !== null && entity.rank !== '';
    this.#transcript?.log('tpv.core.entities', DEBUG, () => {
      const all = repr(new PyList([...destinations]));
      return (
        `Ranking destinations: ${all} for entity: ${str(entity)} using ` +
        `${isOwn ? 'custom function' : 'default ranker'}`
      );
    });
    if (isOwn) return;
    for (const destination of destinations) {
      const text = (): string =>
        `Destination: ${str(entity)} scored: ${destination.scoreOf(entity)}`;
      this.#transcript?.log('tpv.core.entities', DEBUG, text);
    }
  }
}
