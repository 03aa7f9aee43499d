const WIDTH = 100;
const EDGE = '!'.repeat(WIDTH);

/** A text that stands out between lines of a log. */
export function bannerOf(text: string): string {
  return [
    '',
    EDGE,
    ...wrapped(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}`).map((line) => `!! ${line}`),
    EDGE,
    '',
  ].join('\n');
}

function wrapped(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH - 6)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
