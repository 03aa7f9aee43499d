import { site } from '../site-of.ts';
import { shortTypeOf } from '../words/short-type.ts';

/** What readers call a task type: the site's title of it, or the end of its URI. */
export function kindTitle(type: string): string {
  return site.value.kinds.find((kind) => kind.type === type)?.title ?? shortTypeOf(type);
}
