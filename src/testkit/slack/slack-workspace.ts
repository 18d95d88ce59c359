// The state of a simulated Slack workspace: people, apps, conversations, messages, files. It only keeps what the Web API
// and the test change; it knows neither HTTP nor sockets. What people see stays when the server is stopped and started
// again.

import type { JsonObject, JsonValue } from '../../protocol/json.ts';

export interface SlackUser {
  readonly id: string;
  /** The user name, such as `ana`. */
  readonly name: string;
  readonly realName: string;
  readonly botId?: string | undefined;
}

/** An app with its bot, as an operator creates it. */
export interface SlackApp {
  readonly appId: string;
  readonly user: SlackUser;
  readonly botToken: string;
  readonly appToken: string;
  /** The scopes of the bot token. */
  readonly scopes: Set<string>;
  /** The error that Slack answers to every call with one of its tokens; undefined while they are good. */
  refusal?: string | undefined;
}

export type SlackConversationKind = 'im' | 'mpim' | 'channel' | 'private';

export interface SlackConversation {
  readonly id: string;
  readonly kind: SlackConversationKind;
  readonly name: string;
  /** The ids of people and bots. */
  readonly members: Set<string>;
  readonly messages: SlackMessage[];
}

export interface SlackMessage {
  readonly ts: string;
  readonly user: string;
  readonly botId?: string | undefined;
  text: string;
  readonly threadTs?: string | undefined;
  subtype?: string | undefined;
  metadata?: JsonObject | undefined;
  attachments?: readonly JsonValue[] | undefined;
  blocks?: readonly JsonValue[] | undefined;
  readonly files: SlackFile[];
  /** The names of reactions, each with the people who set it. */
  readonly reactions: Map<string, Set<string>>;
  editedTs?: string | undefined;
  readonly isBroadcast?: boolean | undefined;
}

export interface SlackFile {
  readonly id: string;
  readonly name: string;
  bytes: Uint8Array;
  /** Set when the upload was completed. */
  isComplete: boolean;
}

export interface NewSlackMessage
  extends Partial<Pick<SlackMessage, 'threadTs' | 'subtype' | 'metadata' | 'attachments' | 'blocks' | 'isBroadcast'>> {
  readonly user: string;
  readonly text: string;
  readonly files?: readonly SlackFile[] | undefined;
}

export class SlackWorkspace {
  readonly teamId = 'T0ATRIUM';
  readonly teamName = 'Test Team';
  readonly users = new Map<string, SlackUser>();
  readonly apps: SlackApp[] = [];
  readonly conversations = new Map<string, SlackConversation>();
  readonly files = new Map<string, SlackFile>();
  #ids = 0;
  #lastTs = 0;

  addPerson(name: string, realName = name): SlackUser {
    const known = [...this.users.values()].find((user) => user.name === name);
    if (known) return known;
    const user = { id: this.#newId('U'), name, realName };
    this.users.set(user.id, user);
    return user;
  }

  addApp(name: string): SlackApp {
    const number = this.apps.length + 1;
    const user = { id: this.#newId('U'), name, realName: name, botId: this.#newId('B') };
    this.users.set(user.id, user);
    const app: SlackApp = {
      appId: this.#newId('A'),
      user,
      botToken: `xoxb-test-${number}-secret`,
      appToken: `xapp-test-${number}-secret`,
      scopes: new Set(ALL_SCOPES),
    };
    this.apps.push(app);
    return app;
  }

  /** The direct conversation of two users, which exists as soon as it is asked for. */
  openDirect(one: string, other: string): SlackConversation {
    const known = [...this.conversations.values()].find(
      ({ kind, members }) => kind === 'im' && members.has(one) && members.has(other),
    );
    return known ?? this.addConversation('im', '', [one, other]);
  }

  addConversation(kind: SlackConversationKind, name: string, members: readonly string[]): SlackConversation {
    const id = this.#newId(kind === 'im' ? 'D' : kind === 'mpim' ? 'G' : 'C');
    const conversation = { id, kind, name, members: new Set(members), messages: [] };
    this.conversations.set(id, conversation);
    return conversation;
  }

  addFile(name: string, bytes: Uint8Array, isComplete: boolean): SlackFile {
    const file = { id: this.#newId('F'), name, bytes, isComplete };
    this.files.set(file.id, file);
    return file;
  }

  post({ messages }: SlackConversation, { files = [], ...message }: NewSlackMessage): SlackMessage {
    const { botId } = this.users.get(message.user) ?? {};
    const posted = { ...message, botId, ts: this.newTs(), files: [...files], reactions: new Map() };
    messages.push(posted);
    return posted;
  }

  /** Timestamps are ids on Slack: seconds with six digits, and no two are equal. */
  newTs(): string {
    this.#lastTs = Math.max(this.#lastTs + 1, Date.now() * 1_000);
    const digits = String(this.#lastTs);
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  }

  #newId(prefix: string): string {
    this.#ids += 1;
    return `${prefix}0${String(this.#ids).padStart(6, '0')}`;
  }
}

export const ALL_SCOPES: readonly string[] = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'reactions:read',
  'reactions:write',
  'users:read',
];
