/** Something that is done once for all calls within a time. */
export type Gathered = { readonly call: () => void; readonly cancel: () => void };

/** Acts this time after a call; calls until then are served by it, too. */
export function gathered(ms: number, act: () => void): Gathered {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    call: () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        act();
      }, ms);
    },
    cancel: () => {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
