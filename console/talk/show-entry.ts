// Puts one entry of a transcript into its turn, so that a conversation looks the same after a reload as before.

import type { Message } from '../../src/protocol/message.ts';
import type { TranscriptEntry } from '../client/gateway-client.ts';
import { filesIn } from './sent-file.ts';
import type { Turn } from './turn.ts';

export function showEntry(turn: Turn, { position, kind, message, shown, at, meta }: TranscriptEntry): void {
  const files = filesIn(meta);
  turn.at ??= at;
  turn.position ??= position;
  // A message of files alone has no words.
  const text = files.length > 0 ? (shown ?? '') : shown || textOf(message);
  // What a person said is kept as a notice where no model has read it.
  if (kind === 'notice' && message.role === 'user' && meta.blockedBy === undefined) turn.say(text, files);
  else if (kind === 'notice' && meta.status === 'failed') {
    turn.addProblem(text);
    turn.end('failed');
  } else if (kind === 'notice' && meta.status === 'stopped') turn.end('stopped');
  else if (kind !== 'message') turn.addNotice(text);
  else if (message.role === 'user') {
    // The result of a subagent is told to the model; people see it in the tree, and what the agent says about it.
    if (meta.completionOf === undefined) turn.say(text, files);
  } else if (message.role === 'tool') {
    const { toolCallId, toolName, isError = false, content } = message;
    const ms = typeof meta.ms === 'number' ? meta.ms : undefined;
    turn.endTool(toolCallId, toolName, { isError, content, ms });
  } else {
    if (typeof meta.thoughts === 'string') turn.addThought(0, meta.thoughts);
    const calls = message.content.filter((part) => part.type === 'tool-call');
    if (text !== '') turn.addWords(text);
    for (const { id, name, params } of calls) turn.startTool(id, name, params);
    if (calls.length === 0) {
      // The answer is in the transcript, so its parts are not needed any more.
      turn.isTold = true;
      turn.end('done');
    }
  }
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('');
}
