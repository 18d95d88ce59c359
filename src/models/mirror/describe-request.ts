// The answer of Mirror when the message asks for nothing in particular: a description of the request. It shows only
// sizes and beginnings, because the preview shows the whole request.

import { countOf } from '../../protocol/count-of.ts';
import { docsCommand } from '../../protocol/documents.ts';
import type { Message } from '../../protocol/message.ts';
import { clip } from '../../protocol/one-line.ts';
import type { ModelRequest, SystemBlock } from '../model.ts';

export function describeRequest({ system, tools, messages }: ModelRequest): string {
  const message = messages.at(-1);
  return [
    'I am Mirror. I am not a language model: I stand in while none is configured, and I show what one would be given.',
    '',
    ...describeSystem(system),
    tools.length === 0 ? 'Tools: none.' : `Tools (${tools.length}): ${tools.map(({ name }) => name).join(', ')}.`,
    describeHistory(messages.slice(0, -1)),
    message?.role === 'user'
      ? `Your message: ${countOf(message.content.length, 'character')}, ${quote(message.content)}.`
      : 'There is no message to answer.',
    '',
    'I also obey plain requests, one a line. Try:',
    '  say Good morning',
    `  call ${tools.some(({ name }) => name === 'read') ? 'read' : (tools[0]?.name ?? 'read')} {"path":"AGENTS.md"}`,
    '  wait 10',
    '  fail rate-limit',
    '',
    `To talk to a language model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENROUTER_API_KEY and start again, or see "${docsCommand('models')}".`,
  ].join('\n');
}

/** Further headings are counted, not listed. */
const MOST_HEADINGS = 24;

function describeSystem(system: readonly SystemBlock[]): string[] {
  const size = system.reduce((sum, { text }) => sum + text.length, 0);
  if (size === 0) return ['System prompt: none.'];
  const boundary = system.findLastIndex((block) => block.cacheBoundary);
  const lines = system.flatMap(({ text }, index) => [
    `  ${index + 1}. ${countOf(text.length, 'character')}${index === boundary ? ', the end of what may be cached' : ''}`,
    ...describeHeadings(text),
  ]);
  return [`System prompt: ${countOf(size, 'character')} in ${countOf(system.length, 'block')}.`, ...lines];
}

/** Layers stand under headings. The size of a layer is the text up to the next heading. */
function describeHeadings(text: string): string[] {
  const headings = [...text.matchAll(/^#{1,2} .+$/gm)];
  const lines = headings.slice(0, MOST_HEADINGS).map((heading, index) => {
    const end = headings[index + 1]?.index ?? text.length;
    return `     ${clip(heading[0], 80)} (${grouped(end - heading.index)})`;
  });
  const more = headings.length - MOST_HEADINGS;
  return more > 0 ? [...lines, `     and ${countOf(more, 'more heading')}`] : lines;
}

function describeHistory(history: readonly Message[]): string {
  if (history.length === 0) return 'History: none, this is the beginning.';
  const by = (role: Message['role']) => history.filter((message) => message.role === role).length;
  return `History: ${countOf(history.length, 'message')} (${by('user')} from people, ${by('assistant')} from me, ${by('tool')} from tools).`;
}

export function quote(text: string, length = 120): string {
  return `"${clip(text.replace(/\s+/g, ' ').trim(), length)}"`;
}

/** The format is the same on every machine, independent of its language. */
function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
