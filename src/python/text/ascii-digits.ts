/** Digits of any script as ASCII digits. */
export function asciiDigits(text: string): string {
  if (!/[^\p{ASCII}]/u.test(text)) return text;
  return text.replace(/(?!\p{ASCII})\p{Nd}/gu, (c) => {
    const point = c.codePointAt(0) ?? 0;
    if (point >= 0x1d7ce && point <= 0x1d7ff) return String((point - 0x1d7ce) % 10);
    const row = point & ~0xf;
    return String(point - row - (/\p{Nd}/u.test(String.fromCodePoint(row)) ? 0 : 6));
  });
}
