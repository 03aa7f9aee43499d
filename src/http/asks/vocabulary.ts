import { randomUUID } from 'node:crypto';
import type { Vocabulary } from '../../planner/vocabulary.ts';
import type { KnownTypes } from '../../plugins/types.ts';
import type { Site } from '../../site/site.ts';
import { parseObjectId, type ObjectId } from '../../words/ids.ts';

/** What asks may name: the types of the service, and the URLs and S3 services of the site. */
export function vocabularyOf(
  { taskTypes, computeTypes, storageTypes }: KnownTypes,
  { fetch, s3, defaults: { scratch } }: Pick<Site, 'fetch' | 's3' | 'defaults'>,
): Vocabulary {
  return { taskTypes, computeTypes, storageTypes, urls: fetch, s3, scratch, newObject };
}

function newObject(): ObjectId {
  const object = parseObjectId(randomUUID());
  if (object === undefined) throw new Error('node:crypto made something that is not a UUID');
  return object;
}
