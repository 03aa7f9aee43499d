import type { Seconds } from '../words/units.ts';

/** Where one rule file comes from. */
export type RuleOrigin =
  | { readonly kind: 'file'; /** absolute */ readonly path: string }
  | RuleUrl
  | {
      readonly kind: 'inline';
      /** the site file, for messages */ readonly file: string;
      readonly text: string;
    };

/** A rule file of an allowed host. */
export type RuleUrl = {
  readonly kind: 'url';
  readonly url: string;
  /** the only content that is taken; undefined: whatever the host serves */
  readonly sha256: string | undefined;
  /** it is asked for again after so long */
  readonly refresh: Seconds;
};

/** The URL without its query, which may carry a token: for logs, messages and people. */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.origin}${parsed.pathname}`;
}

/** How messages call a rule file; places in an inline one are those of the site file. */
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
