/**
 * Code between its commas, each part with those that brackets and the parameters of a function are
 * around. It ends at a bracket that closes what is around it.
 */
export function argumentsIn(code: string): {
  readonly words: readonly string[];
  readonly isClosed: boolean;
} {
  const words: string[] = [];
  let [start, depth, isLambda] = [0, 0, false];
  for (const { 0: mark, index } of code.matchAll(MARK)) {
    if (mark === 'lambda') isLambda ||= depth === 0;
    else if ('([{'.includes(mark)) depth += 1;
    else if (')]}'.includes(mark)) depth -= 1;
    else if (depth > 0) continue;
    else if (mark === ':') isLambda = false;
    else if (!isLambda) {
      words.push(code.slice(start, index));
      start = index + 1;
    }
    if (depth < 0) return { words: [...words, code.slice(start, index)], isClosed: true };
  }
  return { words: [...words, code.slice(start)], isClosed: false };
}

const MARK = /(?<![\w.])lambda(?!\w)|[()[\]{},:]/g;
