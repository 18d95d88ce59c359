// What a draft shows of a run, by the operator's choice: the text so far, only whole paragraphs of it, or which tools are
// at work. It is pure. Parameters and results of tools are never shown, because a group may read along.

import type { DraftMode } from '../channels/channel-capabilities.ts';

export interface DraftSource {
  /** The text of the latest model call so far. */
  readonly text: string;
  /** The tools that the run has called, in order. */
  readonly tools: readonly ShownTool[];
}

export interface ShownTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly state: 'working' | 'done' | 'failed';
}

/** An empty text means that there is nothing to show yet. */
export function draftTextOf(mode: DraftMode, { text, tools }: DraftSource): string {
  switch (mode) {
    case 'off':
      return '';
    case 'partial':
      return text;
    case 'block':
      return wholeParagraphs(text);
    case 'progress':
      return progressOf(text, tools);
  }
}

function wholeParagraphs(text: string): string {
  let end = 0;
  let isInFence = false;
  let offset = 0;
  for (const line of text.split('\n')) {
    const isFence = /^\s*(```|~~~)/.test(line);
    // A block of code is one paragraph, also when it has blank lines.
    if (isFence) isInFence = !isInFence;
    else if (!isInFence && line.trim() === '' && offset > 0) end = offset;
    offset += line.length + 1;
  }
  return text.slice(0, end).trimEnd();
}

const MOST_TOOLS = 8;
const SIGNS = { working: '…', done: '✓', failed: '✗' } as const;

function progressOf(text: string, tools: readonly ShownTool[]): string {
  const earlier = Math.max(0, tools.length - MOST_TOOLS);
  const lines = tools.slice(earlier).map(({ name, state }) => `${SIGNS[state]} ${name}`);
  const first = text.trim() === '' ? 'Working …' : 'Writing the answer …';
  return [first, ...(earlier > 0 ? [`✓ ${earlier} earlier steps`] : []), ...lines].join('\n');
}
