// What Slack tells an app about a message: the payloads of its Events API, made of the state of the workspace. It sends
// nothing itself.

import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { SlackConversation, SlackFile, SlackMessage, SlackWorkspace } from './slack-workspace.ts';

/** A message as `conversations.history` and events show it. */
export function messageJson(message: SlackMessage, workspace: SlackWorkspace, fileRoot: string): JsonObject {
  const { ts, user, botId, text, threadTs, subtype, metadata, attachments, blocks, files, reactions, editedTs } =
    message;
  return {
    type: 'message',
    ts,
    user,
    text,
    team: workspace.teamId,
    ...(botId !== undefined && { bot_id: botId }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(subtype !== undefined && { subtype }),
    ...(metadata && { metadata }),
    ...(attachments && { attachments }),
    ...(blocks && { blocks }),
    ...(files.length > 0 && { files: files.map((file) => fileJson(file, fileRoot)), upload: true }),
    ...(editedTs !== undefined && { edited: { user, ts: editedTs } }),
    ...(reactions.size > 0 && {
      reactions: [...reactions].map(([name, users]) => ({ name, users: [...users], count: users.size })),
    }),
  };
}

export function fileJson({ id, name, bytes }: SlackFile, fileRoot: string): JsonObject {
  const url = `${fileRoot}files/${id}/${encodeURIComponent(name)}`;
  return { id, name, title: name, size: bytes.length, url_private: url, url_private_download: `${url}?download` };
}

const CHANNEL_TYPES = { im: 'im', mpim: 'mpim', channel: 'channel', private: 'group' } as const;

/** The event `message`, for a message that was just written. */
export function messageEvent(message: JsonObject, { id, kind }: SlackConversation): JsonObject {
  return { ...message, channel: id, channel_type: CHANNEL_TYPES[kind], event_ts: String(message.ts) };
}

/** The event `app_mention`, which comes besides `message` and does not name the kind of the conversation. */
export function mentionEvent(message: JsonObject, { id }: SlackConversation): JsonObject {
  return { ...message, type: 'app_mention', channel: id, event_ts: String(message.ts) };
}

export function changedEvent(
  message: JsonObject,
  before: JsonObject,
  { id, kind }: SlackConversation,
  eventTs: string,
): JsonObject {
  const change = { subtype: 'message_changed', hidden: true, message, previous_message: before };
  return {
    type: 'message',
    ...change,
    channel: id,
    channel_type: CHANNEL_TYPES[kind],
    ts: eventTs,
    event_ts: eventTs,
  };
}

export function deletedEvent(before: JsonObject, { id, kind }: SlackConversation, eventTs: string): JsonObject {
  const change = { subtype: 'message_deleted', hidden: true, deleted_ts: String(before.ts), previous_message: before };
  return {
    type: 'message',
    ...change,
    channel: id,
    channel_type: CHANNEL_TYPES[kind],
    ts: eventTs,
    event_ts: eventTs,
  };
}

export function reactionEvent(
  type: 'reaction_added' | 'reaction_removed',
  { user, reaction, itemUser }: { readonly user: string; readonly reaction: string; readonly itemUser: string },
  { channel, ts }: { readonly channel: string; readonly ts: string },
  eventTs: string,
): JsonObject {
  return { type, user, reaction, item_user: itemUser, item: { type: 'message', channel, ts }, event_ts: eventTs };
}

/** The text of a message as people read it: that of its blocks, where it has some. */
export function shownText({ text, blocks }: Pick<SlackMessage, 'text' | 'blocks'>): string {
  const sections = (blocks ?? []).flatMap((block) => sectionText(block));
  return sections.length > 0 ? sections.join('') : text;
}

function sectionText(block: JsonValue): readonly string[] {
  const { type, text } = block as { readonly type?: string; readonly text?: { readonly text?: string } };
  return type === 'section' && typeof text?.text === 'string' ? [text.text] : [];
}
