// What a page shows about the gateway, read now and read again whenever the gateway says that it has changed. What is shown
// stays when it cannot be read; the first failure is said.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ChangeTopic } from '../../src/protocol/change-topic.ts';
import { OperatorClient } from '../client/operator-client.ts';
import { type ConsoleState, sentenceOf } from '../console-state.ts';

export interface Live<Value> {
  /** Undefined until it was read. */
  readonly value: Value | undefined;
  readonly problem: string;
  readAgain(): Promise<void>;
}

export function useLive<Value>(
  state: ConsoleState,
  topics: readonly ChangeTopic[],
  read: (client: OperatorClient) => Promise<Value>,
): Live<Value> {
  const client = useOperatorClient(state);
  const [shown, setShown] = useState<{ value: Value | undefined; problem: string }>({ value: undefined, problem: '' });
  const readAgain = async () => {
    if (!client) return;
    try {
      setShown({ value: await read(client), problem: '' });
    } catch (error) {
      setShown(({ value }) => ({ value, problem: value === undefined ? sentenceOf(error) : '' }));
    }
  };
  useEffect(() => {
    void readAgain();
    return state.watch.onChange(topics, readAgain);
  }, [client]);
  return { ...shown, readAgain };
}

/** Undefined while no token was accepted. */
export function useOperatorClient(state: ConsoleState): OperatorClient | undefined {
  const client = state.entered.value?.client;
  return useMemo(() => client && new OperatorClient(client), [client]);
}
