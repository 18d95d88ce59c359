// The model of the chaos: some messages it answers at once, some slowly, most after calling tools whose effect can be
// counted, some of which need a person's word first, and a few it refuses. What it does with a message depends on the
// message alone, so that a request that is sent again after a crash goes the same way.

import {
  fail,
  type ModelReply,
  type ModelScript,
  type RecordedRequest,
  reply,
  toolCalls,
} from '../src/testkit/model-server.ts';

export function scriptedModel(random: () => number): ModelScript {
  const kinds = new Map<string, number>();
  return (request) => {
    if (isForSummary(request)) return counted(reply('People say who they are.'));
    const name = nameOf(request);
    const kind = kinds.get(name) ?? random();
    kinds.set(name, kind);
    if (kind < 0.05) return fail(400);
    if (kind < 0.15) return counted(reply(answerTo(name), { pauseMs: 10 }));
    if (kind < 0.25) return counted(reply(answerTo(name)));
    if (resultsOf(request).length > 0) return counted(reply(answerTo(name)));
    if (kind < 0.45) return counted(toolCalls([{ name: 'exec', params: { command: signCommand(name) } }]));
    if (kind < 0.6) return counted(toolCalls([{ name: 'count', params: { name } }]));
    const mark = markOf(name);
    return counted(
      toolCalls([
        { name: 'edit', params: { path: 'tally.txt', oldText: mark, newText: `${mark}x` } },
        { name: 'read', params: { path: 'notes.txt' } },
      ]),
    );
  };
}

/** Without a count of what it read, so that sizes are those that the gateway estimates. */
function counted(answer: ModelReply): ModelReply {
  return { ...answer, usage: { ...answer.usage, input: 0 } };
}

export function answerTo(name: string): string {
  return `Answer to ${name}, in a few words so that it takes a while.`;
}

/** Where a message's calls leave their marks, one `x` for each time. */
export function markOf(name: string): string {
  return `<${name}>`;
}

/** Leaves a line for each time that it ran; nobody has given leave for it. */
function signCommand(name: string): string {
  return `echo ${name} >> signed.txt`;
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

function isForSummary({ body }: RecordedRequest): boolean {
  return body.includes('You keep the memory of a conversation');
}

function messagesOf({ json }: RecordedRequest) {
  return json.messages as unknown as readonly { readonly role: string; readonly content: unknown }[];
}
