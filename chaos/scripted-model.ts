// The model of the chaos: some messages it answers at once, some slowly, most after calling tools whose effect can be
// counted, some of which need a person's word first, some after handing tasks to children,
// of which some take too long or never end, and a few it refuses. What it does with a message depends on the
// message alone, so that a request that is sent again after a crash goes the same way.

import {
  fail,
  hang,
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
    const ofChild = answerOfChildren(request);
    if (ofChild) return counted(ofChild);
    const name = nameOf(request);
    // A message that names no person must not begin anything: what it begins would come back as such a message again.
    if (name === '') return counted(reply('Noted.'));
    const kind = kinds.get(name) ?? random();
    kinds.set(name, kind);
    if (kind < 0.05) return fail(400);
    if (kind < 0.15) return counted(reply(answerTo(name), { pauseMs: 10 }));
    if (kind < 0.25) return counted(reply(answerTo(name)));
    if (resultsOf(request).length > 0) return counted(reply(answerTo(name)));
    if (kind < 0.45) return counted(toolCalls([{ name: 'exec', params: { command: signCommand(name) } }]));
    if (kind < 0.6) return counted(toolCalls([{ name: 'count', params: { name } }]));
    if (kind < 0.72) return counted(handOver(name, partsOf(kind)));
    const mark = markOf(name);
    return counted(
      toolCalls([
        { name: 'edit', params: { path: 'tally.txt', oldText: mark, newText: `${mark}x` } },
        { name: 'read', params: { path: 'notes.txt' } },
      ]),
    );
  };
}

function partsOf(kind: number): readonly string[] {
  if (kind < 0.64) return ['one', 'two', 'outer'];
  return kind < 0.68 ? ['one', 'late', 'endless'] : ['one'];
}

/** A child with this task ends only when it is stopped. */
export function isEndless(task: string): boolean {
  return task.endsWith('part endless.');
}

/** What children answer, and what is said about their results; undefined for every other request. */
function answerOfChildren(request: RecordedRequest): ModelReply | undefined {
  const said = lastUserText(request);
  // A plugin may put its words before and after, so the lines may stand anywhere in the message.
  if (/^\[Internal task completion event\]/m.test(said)) return reply('A child is done.');
  const [, name = '', part] = /\[Subagent Task\]\nWork on (\S+), part (\w+)\.$/m.exec(said) ?? [];
  if (part === undefined) return undefined;
  if (part === 'late' || part === 'endless') return hang('So far');
  if (part !== 'outer' || resultsOf(request).length > 0) return reply('The work is done.', { pauseMs: 10 });
  return handOver(name, ['inner']);
}

function handOver(name: string, parts: readonly string[]): ModelReply {
  const calls = parts.map((part) => ({
    name: 'sessions_spawn',
    params: { task: `Work on ${name}, part ${part}.`, ...(part === 'late' ? { runTimeoutSeconds: 1 } : {}) },
  }));
  return toolCalls(calls);
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

/** Leaves a line for each time that it ran. It needs a person's approval. */
function signCommand(name: string): string {
  return `echo ${name} >> signed.txt`;
}

export function nameOf(request: RecordedRequest): string {
  return /This is (\S+)\./.exec(lastUserText(request))?.[1] ?? '';
}

function lastUserText(request: RecordedRequest): string {
  const said = messagesOf(request).findLast(({ role }) => role === 'user')?.content;
  return typeof said === 'string' ? said : JSON.stringify(said);
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
