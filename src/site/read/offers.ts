import type { Node, Reader } from '../../yaml/index.ts';
import { seconds } from '../../words/units.ts';
import { readDuration, readLead } from '../../yaml/fields.ts';
import type { OfferTerms } from '../destination.ts';

const KEYS = [
  'lifetime',
  'max-offers',
  'duration',
  'longest',
  'horizon',
  'start-window',
  'prepare',
  'release',
  'queue-limit',
  'keep-results',
] as const;

const DAY_S = 86_400;

/** Reads the section `offers` of the site file. */
export function readOffers(reader: Reader, node: Node | undefined): OfferTerms {
  const found = reader.section(node, 'offers', KEYS);
  const most = found['max-offers'];
  const duration = readDuration(reader, found.duration, 'offers.duration', seconds(3600));
  const longest = readDuration(
    reader,
    found.longest,
    'offers.longest',
    seconds(Math.max(DAY_S, duration)),
  );
  if (found.longest !== undefined && longest < duration) {
    reader.problem(
      found.longest,
      `offers.longest is shorter than offers.duration, which is ${duration} s`,
      'no offer could have the default duration',
    );
  }
  const keepResults = readDuration(
    reader,
    found['keep-results'],
    'offers.keep-results',
    seconds(7 * DAY_S),
  );
  return {
    lifetime: readDuration(reader, found.lifetime, 'offers.lifetime', seconds(300)),
    most: reader.expectInt(most, 'offers.max-offers', { min: 1, max: 4 }) ?? 4,
    duration,
    longest,
    horizon: readDuration(reader, found.horizon, 'offers.horizon', seconds(30 * DAY_S)),
    startWindow: readDuration(reader, found['start-window'], 'offers.start-window', seconds(600)),
    prepare: readLead(reader, found.prepare, 'offers.prepare', seconds(0)),
    release: readLead(reader, found.release, 'offers.release', seconds(30)),
    queueLimit: readDuration(reader, found['queue-limit'], 'offers.queue-limit', keepResults),
    keepResults,
  };
}
