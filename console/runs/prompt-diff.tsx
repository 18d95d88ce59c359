// In what the last requests of two runs differ, by author.

import { useEffect, useState } from 'preact/hooks';
import type { GatewayClient, ToldSpan } from '../client/gateway-client.ts';
import { sentenceOf } from '../console-state.ts';
import RequestDiff from '../context/request-diff.tsx';

export interface PromptDiffProps {
  readonly client: GatewayClient;
  readonly before: string;
  readonly after: string;
}

export default function PromptDiff({ client, before, after }: PromptDiffProps) {
  const [spans, setSpans] = useState<readonly (readonly ToldSpan[])[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isOld = false;
    setProblem('');
    Promise.all([client.lastSpans(before), client.lastSpans(after)]).then(
      (both) => isOld || setSpans(both),
      (error: unknown) => isOld || setProblem(sentenceOf(error)),
    );
    return () => {
      isOld = true;
    };
  }, [before, after]);
  if (problem !== '') return <p class="problem">{problem}</p>;
  const [one, other] = spans ?? [];
  return one && other ? <RequestDiff before={one} after={other} /> : null;
}
