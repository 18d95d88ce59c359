// Stands between the channels of chat platforms and the inbox: only what people say who may talk to the agent goes on. A
// channel states its rules (`access`); this file applies them, with the people whom the operator approved. Channels
// without rules are the operator's own, and get the inbox itself.
//
// Errors: as the inbox has them. When it cannot be found out whether a person may talk, the message is not let through:
// a store that cannot be read rejects, and then the platform may send the event again.
// Rules: of a message that is refused nothing is kept, no hook and no model sees it, and the log never has its words.

import type { AttachmentStore } from '../../attachments/attachment-store.ts';
import { type Access, type AccessRules, isInList, type SenderList } from '../../channels/access.ts';
import type { ChangeResult, Channel, ChannelPort, ReceiveResult } from '../../channels/channel.ts';
import type { Inbound } from '../../protocol/inbound.ts';
import type { InboundChange } from '../../protocol/inbound-change.ts';
import { oneLine } from '../../protocol/one-line.ts';
import type { Pairings } from '../services/pairings.ts';
import { type AccessDecision, decideAccess } from './decide-access.ts';
import type { OverheardTalk } from './overheard-talk.ts';
import type { RefusalLog } from './refusal-log.ts';

export interface AdmissionParts {
  readonly inbox: ChannelPort;
  readonly pairings: Pick<Pairings, 'isPaired' | 'request'>;
  readonly refusals: Pick<RefusalLog, 'tell'>;
  readonly overheard: OverheardTalk;
  /** Replaces the entries that stand for groups of people by their members on this channel. */
  readonly expandGroups: (entries: readonly string[], channel: string) => readonly string[];
  /** Whether a message of a group speaks to the agent by a name that the operator wrote down. */
  readonly isCalled: (inbound: Inbound) => Promise<boolean>;
  readonly attachments: Pick<AttachmentStore, 'forget'>;
  readonly now: () => number;
}

export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** What a channel is handed when it is opened. */
  portFor({ access }: Pick<Channel, 'access'>): ChannelPort {
    return access ? new AdmittingPort(this.#parts, access) : this.#parts.inbox;
  }
}

const REFUSED: ReceiveResult = { outcome: 'refused', runId: '', sessionKey: '' };

class AdmittingPort implements ChannelPort {
  readonly #parts: AdmissionParts;
  readonly #access: Access;

  constructor(parts: AdmissionParts, access: Access) {
    this.#parts = parts;
    this.#access = access;
  }

  async receive(received: Inbound): Promise<ReceiveResult> {
    const isShared = received.surface.peer.kind !== 'direct';
    const isCalled = isShared && received.wasMentioned !== true && (await this.#parts.isCalled(received));
    const inbound = isCalled ? { ...received, wasMentioned: true } : received;
    const decision = await this.#decide(inbound);
    if (decision.kind === 'admit') return this.#admit(inbound);
    await this.#forgetFiles(inbound);
    if (decision.kind === 'overhear') this.#parts.overheard.hear(inbound);
    if (decision.kind === 'pair') await this.#pair(inbound);
    if (decision.kind === 'refuse') this.#tellRefusal(inbound, decision.reason, decision.why);
    return REFUSED;
  }

  /** An edit, a deletion or a reaction need not speak to the agent; the person must be one who may talk. */
  async receiveChange(change: InboundChange): Promise<ChangeResult> {
    const decision = await this.#decide({ ...change, wasMentioned: true });
    if (decision.kind === 'admit') {
      this.#parts.overheard.change(change);
      return this.#parts.inbox.receiveChange(change);
    }
    if (decision.kind === 'refuse') this.#tellRefusal(change, decision.reason, decision.why);
    return { outcome: 'ignored' };
  }

  keep(file: Parameters<ChannelPort['keep']>[0]): ReturnType<ChannelPort['keep']> {
    return this.#parts.inbox.keep(file);
  }

  findUpload(id: string): ReturnType<ChannelPort['findUpload']> {
    return this.#parts.inbox.findUpload(id);
  }

  readAttachment(hash: string): ReturnType<ChannelPort['readAttachment']> {
    return this.#parts.inbox.readAttachment(hash);
  }

  /** The message brings along what was said at its place before. An answer that needs no run leaves that for the next. */
  async #admit(inbound: Inbound): Promise<ReceiveResult> {
    const { inbox, overheard } = this.#parts;
    const heard = overheard.at(inbound.surface);
    const received = await inbox.receive(heard.length === 0 ? inbound : { ...inbound, overheard: heard });
    if (received.outcome === 'accepted') overheard.forget(inbound.surface, heard.length);
    return received;
  }

  async #decide(asked: Pick<Inbound, 'surface' | 'sender' | 'space' | 'wasMentioned'>): Promise<AccessDecision> {
    const { surface, sender } = asked;
    const { pairings, expandGroups } = this.#parts;
    const rules = this.#rulesFor(asked);
    if (!rules) return { kind: 'refuse', reason: 'rules-unreadable', why: 'the channel could not read its settings' };
    const expand = (list: SenderList) => ({ ...list, entries: expandGroups(list.entries, surface.channel) });
    const needsPairing =
      rules.kind === 'direct' &&
      rules.policy === 'pairing' &&
      !isInList(expand(rules.allowFrom), surface.channel, sender);
    const person = { channel: surface.channel, accountId: surface.accountId, senderId: sender.id };
    const isPaired = needsPairing && (await pairings.isPaired(person));
    return decideAccess({ rules, inbound: asked, isPaired, expand });
  }

  /** The contract says that this never throws. A channel that breaks it lets no person through. */
  #rulesFor(asked: Pick<Inbound, 'surface' | 'sender' | 'space'>): AccessRules | undefined {
    try {
      return this.#access.rulesFor(asked);
    } catch {
      return undefined;
    }
  }

  async #pair(inbound: Inbound): Promise<void> {
    const outcome = await this.#parts.pairings.request(inbound);
    const { channel } = inbound.surface;
    if (outcome === 'full') {
      return this.#tellRefusal(inbound, 'pairing-full', 'too many other people wait for their code to be approved');
    }
    const next = `"atrium pairing list ${channel}" shows the request`;
    this.#tellRefusal(inbound, 'pairing', `the operator has not approved them; ${next}`);
  }

  #tellRefusal({ surface, sender }: Pick<Inbound, 'surface' | 'sender'>, reason: string, why: string): void {
    const { channel, accountId, peer } = surface;
    const who = JSON.stringify(oneLine(sender.id, LONGEST_ID));
    const where = peer.kind === 'direct' ? '' : ` in the ${peer.kind} ${JSON.stringify(oneLine(peer.id, LONGEST_ID))}`;
    const name = JSON.stringify([channel, accountId, peer.kind === 'direct' ? '' : peer.id, sender.id, reason]);
    this.#parts.refusals.tell(name, `${channel}: ${who}${where} was not let through to the agent: ${why}.`);
  }

  /** The channel keeps the files of a message before it hands the message over. */
  async #forgetFiles({ attachments = [] }: Inbound): Promise<void> {
    const at = this.#parts.now();
    await this.#parts.attachments.forget(attachments.map(({ hash }) => ({ hash, at })));
  }
}

const LONGEST_ID = 100;
