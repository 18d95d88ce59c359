// The runs of the conversations that a conversation parts from: what was asked there in another way can be compared with
// what was asked here.

import { useEffect, useState } from 'preact/hooks';
import type { ToldRun } from '../client/gateway-client.ts';
import type { ConsoleState } from '../console-state.ts';
import { forksOf } from '../talk/forks.ts';

export function useRunsOfOtherWays(state: ConsoleState, sessionKey: string | undefined): readonly ToldRun[] {
  const client = state.entered.value?.client;
  const [runs, setRuns] = useState<readonly ToldRun[]>([]);
  const keys = otherWays(state, sessionKey);
  useEffect(() => {
    let isOld = false;
    setRuns([]);
    if (client && keys.length > 0)
      void Promise.all(keys.map((key) => client.runsOf(key).catch(() => []))).then(
        (all) => isOld || setRuns(all.flat()),
      );
    return () => {
      isOld = true;
    };
  }, [client, keys.join(' ')]);
  return runs;
}

function otherWays(state: ConsoleState, sessionKey: string | undefined): readonly string[] {
  const session = state.sessionOf(sessionKey);
  if (!session) return [];
  const ways = forksOf(state.sessions.value, session).flatMap((fork) => fork.ways.map((way) => way.sessionKey));
  return [...new Set(ways)].filter((key) => key !== sessionKey).slice(0, MOST_WAYS);
}

const MOST_WAYS = 8;
