import type { Seconds } from '../words/units.ts';

/** The origin of a rule file. */
export type RuleOrigin =
  | { readonly kind: 'file'; /** absolute */ readonly path: string }
  | RuleUrl
  | {
      readonly kind: 'inline';
      /** the site file, for messages */ readonly file: string;
      readonly text: string;
    };

/** A rule file on an allowed host. */
export type RuleUrl = {
  readonly kind: 'url';
  readonly url: string;
  /** the only accepted content; undefined: any */
  readonly sha256: string | undefined;
  /** how often it is fetched again */
  readonly refresh: Seconds;
};

/** The URL for logs and messages, without its query, which may have a token. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.origin}${parsed.pathname}`;
}

/** The name of a rule file in messages; places in an inline one are places in the site file. */
export function originName(origin: RuleOrigin): string {
  switch (origin.kind) {
    case 'file':
      return origin.path;
    case 'url':
      return shownUrl(origin.url);
    case 'inline':
      return origin.file;
    default:
      return origin satisfies never;
  }
}
