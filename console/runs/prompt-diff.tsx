// In what the prompts of two runs differ, line by line. Lines that both have are left out but for a few around a change.

import { diffLines } from 'diff';
import { useEffect, useState } from 'preact/hooks';
import type { GatewayClient, ToldSpan } from '../client/gateway-client.ts';
import { sentenceOf } from '../console-state.ts';
import { formatPlural } from '../view/format.ts';

export interface PromptDiffProps {
  readonly client: GatewayClient;
  readonly before: string;
  readonly after: string;
}

interface DiffPart {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

export function PromptDiff({ client, before, after }: PromptDiffProps) {
  const [parts, setParts] = useState<readonly DiffPart[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let isOld = false;
    setProblem('');
    Promise.all([client.lastSpans(before), client.lastSpans(after)]).then(
      ([one, other]) => isOld || setParts(compare(textOf(one), textOf(other))),
      (error: unknown) => isOld || setProblem(sentenceOf(error)),
    );
    return () => {
      isOld = true;
    };
  }, [before, after]);
  if (problem !== '') return <p class="problem">{problem}</p>;
  if (!parts) return null;
  if (parts.every(({ kind }) => kind === 'same')) return <p class="none">The prompts are the same.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a mouse, only an element that has the focus is scrolled.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, and this is text.
    <pre class="diff" tabIndex={0} role="group" aria-label="Difference of the prompts">
      {parts.map(({ kind, text }, index) =>
        kind === 'added' ? <ins key={index}>{text}</ins> : kind === 'removed' ? <del key={index}>{text}</del> : text,
      )}
    </pre>
  );
}

function textOf(spans: readonly ToldSpan[]): string {
  let last = '';
  return spans
    .map(({ where, index, text = '' }) => {
      const unit = `${where} ${index + 1}`;
      const head = unit === last ? '' : `\n== ${unit} ==\n`;
      last = unit;
      return head + text;
    })
    .join('');
}

function compare(before: string, after: string): readonly DiffPart[] {
  const changes = diffLines(before, after, { timeout: 2_000 });
  // Two texts that have nothing in common would take for ever.
  if (!changes)
    return [
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ];
  return changes.map(({ added, removed, value }) =>
    added
      ? { kind: 'added', text: value }
      : removed
        ? { kind: 'removed', text: value }
        : { kind: 'same', text: folded(value) },
  );
}

function folded(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= 2 * AROUND + 1) return text;
  const left = lines.length - 2 * AROUND;
  return [...lines.slice(0, AROUND), `   … ${formatPlural(left, 'line')} as before …`, ...lines.slice(-AROUND)].join(
    '\n',
  );
}

const AROUND = 3;
