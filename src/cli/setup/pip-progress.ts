/** A line of pip in words for somebody who waits; undefined: it is none of interest. */
export function pipProgress(line: string): string | undefined {
  const [, file = '', size] = /^\s*(?:Downloading|Using cached) (\S+) \(([^)]+)\)/.exec(line) ?? [];
  if (size !== undefined) return file.endsWith('.metadata') ? undefined : fetched(file, size);
  const [, names] = /^Installing collected packages: (.+)$/.exec(line) ?? [];
  return names && `installs ${names.split(',').length} packages, which takes the longest`;
}

/** Why pip failed, in one sentence that says what to do where that is known. */
export function pipTrouble(lines: readonly string[]): string {
  const said = lines.join('\n');
  if (/No space left on device|Disk quota exceeded/.test(said))
    return 'the disc is full: free 2 GiB and run the command again';
  const [error] = lines.filter((line) => line.startsWith('ERROR: ')).map((line) => line.slice(7));
  if (/connection broken|NewConnectionError|Read timed out|Temporary failure in name/.test(said))
    return (
      'the index of packages cannot be reached: connect the machine to the network, or name a proxy ' +
      '(HTTPS_PROXY) or another index (PIP_INDEX_URL), and run the command again'
    );
  return `pip says: ${error ?? lines.at(-1) ?? 'nothing'}`;
}

function fetched(file: string, size: string): string {
  const [name = file, version = ''] = (file.split('/').at(-1) ?? file).split('-');
  return `fetches ${name} ${version} (${size})`;
}
