/** A server-sent event (HTML Living Standard § 9.2). */
export type ServerEvent = { readonly id: string; readonly event: string; readonly data: string };

/** Makes events of the bytes of a stream, which may come cut anywhere. */
export type EventReader = {
  /** @returns the events that are complete now */
  readonly push: (bytes: Uint8Array) => readonly ServerEvent[];
  /** milliseconds after which the service wants to be asked again; undefined: it did not say */
  readonly retry: () => number | undefined;
};

/** @param id the last one before this stream, which its first events may keep */
export function openEventReader(id = ''): EventReader {
  const decoder = new TextDecoder();
  let rest = '';
  let isLineFeedDue = false;
  let retry: number | undefined;
  const state = { id, event: '', data: [] as string[] };

  const take = (line: string): readonly ServerEvent[] => {
    if (line === '') return dispatch(state);
    const [, name = line, value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? [];
    if (name === 'data') state.data.push(value);
    else if (name === 'event') state.event = value;
    else if (name === 'id' && !value.includes('\0')) state.id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value);
    return [];
  };
  return {
    push: (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      if (text === '') return [];
      // A line end of two characters may be cut between them.
      const lines = (rest + (isLineFeedDue ? text.replace(/^\n/, '') : text)).split(/\r\n|\r|\n/);
      isLineFeedDue = text.endsWith('\r');
      rest = lines.pop() ?? '';
      return lines.flatMap(take);
    },
    retry: () => retry,
  };
}

function dispatch(state: { id: string; event: string; data: string[] }): readonly ServerEvent[] {
  const { id, event, data } = state;
  state.event = '';
  state.data = [];
  return data.length === 0 ? [] : [{ id, event: event || 'message', data: data.join('\n') }];
}
