import type { Channel, Peers, TakeTurn } from '../peers/channel.ts';
import { mergeMetrics } from './merge-metrics.ts';
import type { FromPlanner, ToPlanner } from './messages.ts';

/** What one planner of several measures. */
type OwnMetrics = {
  readonly own: () => Promise<string>;
  /** what every planner would tell alike */
  readonly shared: () => Promise<string>;
};

/** The connection of a planner to its service and to the service's other planners. */
export type PlannerLine = Peers & {
  readonly send: (message: FromPlanner) => void;
  /** Tells the service what this planner measures. @returns gives the metrics of all planners */
  readonly metricsOfAll: (measured: OwnMetrics) => () => Promise<string>;
  /** Called when the operator wants the files read again. */
  readonly onReload: (reload: () => Promise<void>) => void;
};

/** The process of a planner, as far as its service can be reached by it. */
type Wire = {
  readonly send: (message: FromPlanner) => void;
  readonly receive: (listener: (message: ToPlanner) => void) => void;
};

/** All planners of a service have one version, so that an item is what its channel tells. */
type Listener = { hear(item: unknown): void };

/** What is told within this time goes together: a message costs more than what is in it. */
const TOGETHER_MS = 20;

/** A planner waits so long for its turn: one that takes longer waits for something else. */
const LATE_MS = 100;

/** @param number of this planner, from 1 @param count of the planners of the service */
export function openLine(number: number, count: number, { send, receive }: Wire): PlannerLine {
  const listeners = new Map<string, Listener[]>();
  /** called when a turn is given */
  const turns = new Map<string, () => void>();
  const waiting = new Map<number, (texts: readonly string[]) => void>();
  let measured: OwnMetrics | undefined;
  let reload = async (): Promise<void> => undefined;
  let last = 0;

  const measure = async (withShared: boolean): Promise<string> => {
    const texts = [await measured?.own(), withShared ? await measured?.shared() : undefined];
    return texts.filter((text) => text !== undefined).join('\n');
  };
  receive((message) => {
    switch (message.kind) {
      case 'told':
        for (const { hear } of listeners.get(message.topic) ?? [])
          message.items.forEach((item) => hear(item));
        return;
      case 'turn':
        turns.get(message.topic)?.();
        return;
      case 'reload':
        void reload().finally(() => send({ kind: 'reloaded' }));
        return;
      case 'measure':
        // A planner that cannot measure leaves a gap.
        void measure(message.withShared)
          .catch(() => '')
          .then((text) => send({ kind: 'measured', id: message.id, text }));
        return;
      case 'metrics':
        waiting.get(message.id)?.(message.texts);
        waiting.delete(message.id);
        return;
    }
  });

  return {
    number,
    count,
    send,
    channel: <Item>(topic: string): Channel<Item> => openChannel(topic, send, listeners),
    turns: (topic) => openTurn(topic, send, turns),
    metricsOfAll: (given) => {
      measured = given;
      return async () => {
        last += 1;
        const id = last;
        const texts = await new Promise<readonly string[]>((resolve) => {
          waiting.set(id, resolve);
          send({ kind: 'wants metrics', id });
        });
        return mergeMetrics(texts);
      };
    },
    onReload: (given) => (reload = given),
  };
}

function openTurn(topic: string, send: Wire['send'], turns: Map<string, () => void>): TakeTurn {
  let isBusy = false;
  return async () => {
    // It goes beside one of its own, which is late, and so waits for nobody.
    if (isBusy) return () => undefined;
    isBusy = true;
    await new Promise<void>((given) => {
      const late = setTimeout(given, LATE_MS);
      turns.set(topic, () => {
        clearTimeout(late);
        given();
      });
      send({ kind: 'wants turn', topic });
    });
    return () => {
      isBusy = false;
      send({ kind: 'turn over', topic });
    };
  };
}

function openChannel<Item>(
  topic: string,
  send: Wire['send'],
  listeners: Map<string, Listener[]>,
): Channel<Item> {
  let items: Item[] = [];
  const flush = (): void => {
    send({ kind: 'told', topic, items });
    items = [];
  };
  return {
    tell: (item) => {
      if (items.length === 0) setTimeout(flush, TOGETHER_MS).unref();
      items.push(item);
    },
    hear: (listener) => {
      listeners.set(topic, [...(listeners.get(topic) ?? []), { hear: listener }]);
    },
  };
}
