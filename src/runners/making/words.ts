/** Why an installer made no environment. */
export type MakingFailure = {
  /** its own words, cut */
  readonly why: string;
  /** another try soon would end in the same way */
  readonly isFinal: boolean;
};

const LONGEST = 1000;
const LINES = 12;

/** pip and uv blame the index's packages when they cannot read the index; uv tells why in a hint. */
const AWAY =
  /connection broken|Failed to fetch|error sending request|timed out|could not be queried|returned a 40[13]/i;
const FINAL = /No solution found|ResolutionImpossible|No matching distribution|is invalid\./;

/** Lines that tell what is done, and advice about the command line, which is not the client's. */
const PROGRESS =
  /^\s*(?:Looking in|Collecting|Downloading|Using|Obtaining|Installing|Resolved|Prepar|INFO:|hint:|To fix this|\d\. )/;
const LOGGED = /^\s*(ERROR|WARNING|error|hint|cause|×|╰─▶|│):?\s*/;

/** What an installer said when it failed, without its progress and without secrets of the index. */
export function failureOf(said: string, index: string): MakingFailure {
  const isAway = AWAY.test(said);
  const lines = withoutSecrets(said, index)
    .split('\n')
    .filter((line) => line.trim() !== '' && (AWAY.test(line) || !PROGRESS.test(line)))
    .map((line) =>
      line
        .replace(LOGGED, '')
        .replace(/: for help visit .*$/, '')
        .trim(),
    );
  const why = [...new Set(lines)]
    .slice(-LINES)
    .join(' ')
    .replaceAll(/\p{C}/gu, ' ')
    .replaceAll(/\s+/g, ' ');
  return { why: shortened(why), isFinal: !isAway && FINAL.test(said) };
}

function shortened(text: string): string {
  if (text === '') return 'the installer says nothing';
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)} …`;
}

/** The index may have a password in it, and its host may be the site's own business. */
function withoutSecrets(said: string, index: string): string {
  const url = new URL(index);
  const { username, password, host, hostname } = url;
  [url.username, url.password] = ['', ''];
  // uv tells it without its credentials and its last slash.
  const bare = url.href.replace(/\/$/, '');
  return [index, bare, host, hostname, password, username]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, 'the index'), said)
    .replaceAll(/\/\/[^\s/@]*@/g, '//');
}
