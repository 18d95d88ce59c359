// A request of a run exactly as it was sent to the model. It is loaded when a person opens it, because it is long.

import { useState } from 'preact/hooks';
import type { RunCall } from '../client/gateway-client.ts';
import { formatPlural } from '../view/format.ts';
import { ScrollText } from '../view/scroll-text.tsx';

export interface ExactRequestProps {
  readonly runId: string;
  readonly calls: readonly RunCall[];
  readRequest(runId: string, call: number): Promise<string>;
}

export function ExactRequest({ runId, calls, readRequest }: ExactRequestProps) {
  const [body, setBody] = useState('');
  const [problem, setProblem] = useState('');
  const [isCopied, setCopied] = useState(false);
  const load = async (call: number | undefined) => {
    if (call === undefined) return;
    try {
      setBody(await readRequest(runId, call));
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const copy = async () => {
    await navigator.clipboard.writeText(body);
    setCopied(true);
  };
  return (
    <details
      class="exact"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && body === '') void load(calls[0]?.call);
      }}
    >
      <summary>The exact request</summary>
      <div class="tools">
        <select aria-label="Which request" onChange={({ currentTarget }) => void load(Number(currentTarget.value))}>
          {calls.map(({ call }) => (
            <option key={call} value={call}>
              Request {call}
            </option>
          ))}
        </select>
        <span>{body && describeSize(body)}</span>
        <button type="button" class="plain" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
        </button>
      </div>
      <ScrollText label="Request">{problem || body.slice(0, LONGEST_SHOWN) || 'Loading…'}</ScrollText>
    </details>
  );
}

/** The copy button copies all of it; what is shown is bounded, because the browser would take long to draw more. */
const LONGEST_SHOWN = 400_000;

function describeSize(body: string): string {
  const bytes = formatPlural(new TextEncoder().encode(body).length, 'byte');
  return body.length > LONGEST_SHOWN ? `${bytes}, the beginning of it here` : bytes;
}
