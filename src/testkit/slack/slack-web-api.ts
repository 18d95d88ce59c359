// The methods of Slack's Web API that the channel calls, each as a function from its arguments to its answer. An error
// is a SlackRefusal with the word that Slack uses. What a method changes is told to `tell`, as Slack tells apps.

import { isJsonObject, type JsonObject, type JsonValue } from '../../protocol/json.ts';
import { changedEvent, deletedEvent, fileJson, messageEvent, messageJson, reactionEvent } from './slack-event.ts';
import type { SlackApp, SlackConversation, SlackMessage, SlackUser, SlackWorkspace } from './slack-workspace.ts';

export interface SlackCall {
  readonly app: SlackApp;
  readonly args: Readonly<Record<string, string>>;
  readonly workspace: SlackWorkspace;
  /** Where files are fetched and uploaded, with a slash at the end. */
  readonly fileRoot: string;
  /** Tells every app that is in the conversation. */
  readonly tell: (event: JsonObject, conversation: SlackConversation) => void;
  /** The address at which the app may connect a socket. */
  readonly socketUrl: () => string;
}

export class SlackRefusal extends Error {
  readonly code: string;
  readonly facts: JsonObject;

  constructor(code: string, facts: JsonObject = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }
}

/** The longest text of `chat.postMessage`, and the shorter one of `chat.update`. */
const LONGEST_TEXT = 40_000;
const LONGEST_UPDATE = 4_000;
const LONGEST_SECTION = 3_000;
const LONGEST_VALUE = 2_000;
const MOST_BLOCKS = 50;

type Method = (call: SlackCall) => JsonObject;

export const SLACK_METHODS: Readonly<Record<string, Method>> = {
  'auth.test': ({ app, workspace }) => ({
    url: 'https://test.slack.com/',
    team: workspace.teamName,
    team_id: workspace.teamId,
    user: app.user.name,
    user_id: app.user.id,
    bot_id: app.user.botId ?? '',
  }),
  'apps.connections.open': ({ socketUrl }) => ({ url: socketUrl() }),
  'chat.postMessage': postMessage,
  'chat.update': updateMessage,
  'chat.delete': deleteMessage,
  'conversations.open': (call) => {
    need(call, 'im:write');
    const other = call.args.users ?? '';
    if (!call.workspace.users.has(other)) throw new SlackRefusal('user_not_found');
    return { channel: { id: call.workspace.openDirect(call.app.user.id, other).id } };
  },
  'conversations.info': (call) => ({ channel: conversationJson(call, conversationOf(call)) }),
  'conversations.history': readHistory,
  'conversations.replies': readReplies,
  'users.conversations': (call) => {
    const own = [...call.workspace.conversations.values()].filter(({ members }) => members.has(call.app.user.id));
    return page(
      call,
      'channels',
      own.map((conversation) => conversationJson(call, conversation)),
    );
  },
  'users.info': (call) => {
    need(call, 'users:read');
    const user = call.workspace.users.get(call.args.user ?? '');
    if (!user) throw new SlackRefusal('user_not_found');
    return { user: userJson(user) };
  },
  'users.list': (call) => {
    need(call, 'users:read');
    return page(call, 'members', [...call.workspace.users.values()].map(userJson));
  },
  'reactions.add': (call) => react(call, 'reaction_added'),
  'reactions.remove': (call) => react(call, 'reaction_removed'),
  'files.getUploadURLExternal': (call) => {
    need(call, 'files:write');
    const { filename = '', length = '' } = call.args;
    if (filename === '' || !(Number(length) > 0)) throw new SlackRefusal('invalid_arguments');
    const file = call.workspace.addFile(filename, new Uint8Array(), false);
    return { upload_url: `${call.fileRoot}upload/${file.id}`, file_id: file.id };
  },
  'files.completeUploadExternal': completeUpload,
  'files.info': (call) => {
    need(call, 'files:read');
    const file = call.workspace.files.get(call.args.file ?? '');
    if (!file) throw new SlackRefusal('file_not_found');
    return { file: fileJson(file, call.fileRoot) };
  },
};

function postMessage(call: SlackCall): JsonObject {
  need(call, 'chat:write');
  const { args, app, workspace } = call;
  const target = args.channel ?? '';
  const conversation = workspace.users.has(target) ? workspace.openDirect(app.user.id, target) : memberOf(call);
  const content = contentOf(args, LONGEST_TEXT);
  const thread = args.thread_ts;
  if (thread !== undefined && !messageIn(conversation, thread)) throw new SlackRefusal('thread_not_found');
  const message = workspace.post(conversation, {
    user: app.user.id,
    ...content,
    threadTs: thread,
    metadata: objectIn(args.metadata),
  });
  tellNew(call, conversation, message);
  return { channel: conversation.id, ts: message.ts, message: messageJson(message, workspace, call.fileRoot) };
}

function updateMessage(call: SlackCall): JsonObject {
  need(call, 'chat:write');
  const { args, app, workspace, fileRoot } = call;
  const conversation = conversationOf(call);
  const message = messageIn(conversation, args.ts ?? '');
  if (!message) throw new SlackRefusal('message_not_found');
  if (message.user !== app.user.id) throw new SlackRefusal('cant_update_message');
  const content = contentOf(args, LONGEST_UPDATE);
  const before = messageJson(message, workspace, fileRoot);
  message.text = content.text;
  message.attachments = content.attachments;
  message.blocks = content.blocks;
  message.metadata = objectIn(args.metadata) ?? message.metadata;
  message.editedTs = workspace.newTs();
  const after = messageJson(message, workspace, fileRoot);
  call.tell(changedEvent(after, before, conversation, message.editedTs), conversation);
  return { channel: conversation.id, ts: message.ts, text: message.text };
}

function deleteMessage(call: SlackCall): JsonObject {
  need(call, 'chat:write');
  const conversation = conversationOf(call);
  const message = messageIn(conversation, call.args.ts ?? '');
  if (!message) throw new SlackRefusal('message_not_found');
  if (message.user !== call.app.user.id) throw new SlackRefusal('cant_delete_message');
  conversation.messages.splice(conversation.messages.indexOf(message), 1);
  const before = messageJson(message, call.workspace, call.fileRoot);
  call.tell(deletedEvent(before, conversation, call.workspace.newTs()), conversation);
  return { channel: conversation.id, ts: message.ts };
}

function readHistory(call: SlackCall): JsonObject {
  const conversation = memberOf(call);
  need(call, HISTORY_SCOPES[conversation.kind]);
  const all = conversation.messages
    .filter(({ threadTs, ts, isBroadcast }) => threadTs === undefined || threadTs === ts || isBroadcast)
    .filter((message) => isWithin(message, call.args))
    .map((message) => historyJson(call, conversation, message));
  return page(call, 'messages', all.reverse());
}

function readReplies(call: SlackCall): JsonObject {
  const conversation = memberOf(call);
  need(call, HISTORY_SCOPES[conversation.kind]);
  const asked = messageIn(conversation, call.args.ts ?? '');
  if (!asked) throw new SlackRefusal('thread_not_found');
  const root = asked.threadTs ?? asked.ts;
  const all = conversation.messages
    .filter(({ ts, threadTs }) => ts === root || threadTs === root)
    // The message that a thread began from is always part of it.
    .filter((message) => message.ts === root || isWithin(message, call.args))
    .map((message) => historyJson(call, conversation, message));
  return page(call, 'messages', all);
}

function react(call: SlackCall, type: 'reaction_added' | 'reaction_removed'): JsonObject {
  need(call, 'reactions:write');
  const { args, app, workspace } = call;
  const conversation = conversationOf(call);
  const message = messageIn(conversation, args.timestamp ?? '');
  if (!message) throw new SlackRefusal(/^\d+\.\d+$/.test(args.timestamp ?? '') ? 'message_not_found' : 'bad_timestamp');
  const name = args.name ?? '';
  if (!/^[\w+'-]+(::skin-tone-\d)?$/.test(name)) throw new SlackRefusal('invalid_name');
  const users = message.reactions.get(name) ?? new Set<string>();
  const isSet = users.has(app.user.id);
  if (type === 'reaction_added' && isSet) throw new SlackRefusal('already_reacted');
  if (type === 'reaction_removed' && !isSet) throw new SlackRefusal('no_reaction');
  if (isSet) users.delete(app.user.id);
  else users.add(app.user.id);
  if (users.size > 0) message.reactions.set(name, users);
  else message.reactions.delete(name);
  const who = { user: app.user.id, reaction: name, itemUser: message.user };
  const place = { channel: conversation.id, ts: message.ts };
  call.tell(reactionEvent(type, who, place, workspace.newTs()), conversation);
  return {};
}

function completeUpload(call: SlackCall): JsonObject {
  need(call, 'files:write');
  const { args, workspace, app } = call;
  const listed = listIn(args.files) ?? [];
  const files = listed.map((each) => {
    const file = workspace.files.get(isJsonObject(each) ? String(each.id) : '');
    if (!file || file.bytes.length === 0) throw new SlackRefusal('file_not_found');
    return file;
  });
  for (const file of files) file.isComplete = true;
  if (args.channel_id !== undefined) {
    const conversation = workspace.conversations.get(args.channel_id);
    if (!conversation?.members.has(app.user.id)) throw new SlackRefusal('channel_not_found');
    const message = workspace.post(conversation, {
      user: app.user.id,
      text: args.initial_comment ?? '',
      threadTs: args.thread_ts,
      files,
    });
    tellNew(call, conversation, message);
  }
  return { files: files.map((file) => fileJson(file, call.fileRoot)) };
}

function tellNew(call: SlackCall, conversation: SlackConversation, message: SlackMessage): void {
  call.tell(messageEvent(messageJson(message, call.workspace, call.fileRoot), conversation), conversation);
}

/** Slack names the scope that is missing. */
function need({ app }: SlackCall, scope: string): void {
  if (app.scopes.has(scope)) return;
  throw new SlackRefusal('missing_scope', { needed: scope, provided: [...app.scopes].join(',') });
}

const HISTORY_SCOPES = {
  im: 'im:history',
  mpim: 'mpim:history',
  channel: 'channels:history',
  private: 'groups:history',
} as const;

function conversationOf({ args, workspace }: SlackCall): SlackConversation {
  const conversation = workspace.conversations.get(args.channel ?? '');
  if (!conversation) throw new SlackRefusal('channel_not_found');
  return conversation;
}

function memberOf(call: SlackCall): SlackConversation {
  const conversation = conversationOf(call);
  if (!conversation.members.has(call.app.user.id)) throw new SlackRefusal('not_in_channel');
  return conversation;
}

function messageIn({ messages }: SlackConversation, ts: string): SlackMessage | undefined {
  return messages.find((message) => message.ts === ts);
}

function contentOf(args: SlackCall['args'], longest: number): Pick<SlackMessage, 'text' | 'blocks' | 'attachments'> {
  const { text = '' } = args;
  const blocks = listIn(args.blocks);
  const attachments = listIn(args.attachments);
  if (text.length > longest) throw new SlackRefusal('msg_too_long');
  if (text === '' && !blocks && !attachments) throw new SlackRefusal('no_text');
  for (const block of [...(blocks ?? []), ...(attachments ?? []).flatMap(blocksOf)]) checkBlock(block);
  if ((blocks?.length ?? 0) > MOST_BLOCKS) throw new SlackRefusal('invalid_blocks');
  return { text, blocks, attachments };
}

function blocksOf(attachment: JsonValue): readonly JsonValue[] {
  return isJsonObject(attachment) && Array.isArray(attachment.blocks) ? attachment.blocks : [];
}

function checkBlock(block: JsonValue): void {
  if (!isJsonObject(block)) throw new SlackRefusal('invalid_blocks');
  const { text, elements } = block;
  if (isJsonObject(text) && String(text.text).length > LONGEST_SECTION) throw new SlackRefusal('invalid_blocks');
  for (const element of Array.isArray(elements) ? elements : []) {
    const isTooLong = isJsonObject(element) && String(element.value ?? '').length > LONGEST_VALUE;
    if (isTooLong) throw new SlackRefusal('invalid_blocks');
  }
}

/** Metadata is shown only to those who ask for it. */
function historyJson(call: SlackCall, { messages }: SlackConversation, message: SlackMessage): JsonObject {
  const { metadata, ...shown } = messageJson(message, call.workspace, call.fileRoot);
  const replies = messages.filter(({ threadTs, ts }) => threadTs === message.ts && ts !== message.ts);
  const last = replies.at(-1);
  return {
    ...shown,
    ...(metadata !== undefined && call.args.include_all_metadata === 'true' && { metadata }),
    ...(last && { thread_ts: message.ts, reply_count: replies.length, latest_reply: last.ts }),
  };
}

function isWithin({ ts }: SlackMessage, { oldest = '0', latest, inclusive }: SlackCall['args']): boolean {
  const isInclusive = inclusive === 'true';
  if (latest !== undefined && (isInclusive ? ts > latest : ts >= latest)) return false;
  return isInclusive ? ts >= oldest : ts > oldest;
}

function conversationJson({ app }: SlackCall, { id, kind, name, members }: SlackConversation): JsonObject {
  const user = [...members].find((member) => member !== app.user.id);
  return {
    id,
    is_channel: kind === 'channel',
    is_group: kind === 'private',
    is_private: kind === 'private',
    is_im: kind === 'im',
    is_mpim: kind === 'mpim',
    is_member: members.has(app.user.id),
    ...(kind === 'im' ? { user: user ?? '' } : { name }),
  };
}

function userJson({ id, name, realName, botId }: SlackUser): JsonObject {
  const profile = { display_name: realName, real_name: realName, ...(botId !== undefined && { bot_id: botId }) };
  return { id, name, real_name: realName, is_bot: botId !== undefined, deleted: false, profile };
}

function page(call: SlackCall, name: string, all: readonly JsonObject[]): JsonObject {
  const from = Number(call.args.cursor ?? 0);
  const to = from + Math.min(Number(call.args.limit ?? 100), 1_000);
  const next = to < all.length ? String(to) : '';
  return { [name]: all.slice(from, to), has_more: next !== '', response_metadata: { next_cursor: next } };
}

function objectIn(text: string | undefined): JsonObject | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isJsonObject(value) ? value : undefined;
}

function listIn(text: string | undefined): readonly JsonValue[] | undefined {
  const value: unknown = text === undefined || text === '' ? undefined : JSON.parse(text);
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}
