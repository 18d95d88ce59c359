// The model of the chaos: some messages it answers at once, some slowly, most after calling tools whose effect can be
// counted, and a few it refuses. What it does with a message depends on the message alone, so that a request that is sent
// again after a crash goes the same way.

import { fail, type ModelScript, type RecordedRequest, reply, toolCalls } from '../src/testkit/model-server.ts';

export function scriptedModel(random: () => number): ModelScript {
  const kinds = new Map<string, number>();
  return (request) => {
    const name = nameOf(request);
    const kind = kinds.get(name) ?? random();
    kinds.set(name, kind);
    if (kind < 0.05) return fail(400);
    if (kind < 0.2) return reply(answerTo(name), { pauseMs: 10 });
    if (kind < 0.3) return reply(answerTo(name));
    if (resultsOf(request).length > 0) return reply(answerTo(name));
    const mark = markOf(name);
    return toolCalls([
      { name: 'edit', params: { path: 'tally.txt', oldText: mark, newText: `${mark}x` } },
      { name: 'read', params: { path: 'notes.txt' } },
    ]);
  };
}

export function answerTo(name: string): string {
  return `Answer to ${name}, in a few words so that it takes a while.`;
}

/** Where a message's calls leave their marks, one `x` for each time. */
export function markOf(name: string): string {
  return `<${name}>`;
}

export function nameOf(request: RecordedRequest): string {
  const said = messagesOf(request).findLast(({ role }) => role === 'user')?.content;
  return /This is (\S+)\./.exec(typeof said === 'string' ? said : JSON.stringify(said))?.[1] ?? '';
}

/** What it is told of the calls that it made for this message. */
export function resultsOf(request: RecordedRequest): readonly string[] {
  const messages = messagesOf(request);
  const said = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(said + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.stringify(content));
}

function messagesOf({ json }: RecordedRequest) {
  return json.messages as unknown as readonly { readonly role: string; readonly content: unknown }[];
}
