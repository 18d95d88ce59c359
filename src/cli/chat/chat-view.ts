// What a chat shows, as text: it turns frames of the socket into characters. Drafts are written as they arrive; a part
// with the same text as the draft is not written again. It knows nothing of sockets or keyboards.

import type { ServerFrame } from '../../channels/server-frame.ts';
import { oneLine, terminalText } from '../output/text.ts';
import { describeWaiting, type WaitingApproval } from './waiting-approvals.ts';

export interface ChatViewSettings {
  readonly write: (text: string) => void;
  /** Shows an error. */
  readonly complain: (sentence: string) => void;
  /**
   * For programs: shows answers only, without drafts and notes, and only answers to messages from here, as `claim`
   * says. People also see what is said in the same place from elsewhere.
   */
  readonly isPlain: boolean;
  /** True while the person here waits for an answer; at other times drafts would disturb them while they type. */
  readonly isWaiting: () => boolean;
}

type PartFrame = Extract<ServerFrame, { type: 'part' }>;

const LONGEST_NOTE = 160;
const MOST_HELD = 100;

export class ChatView {
  readonly #settings: ChatViewSettings;
  /**
   * Parts up to this number have been shown, or must not be shown. Undefined until the gateway has sent its position.
   */
  #last: number | undefined;
  /** The draft on the screen that no part has confirmed yet, as it arrived. */
  #draft = '';
  /** The run whose draft it is. */
  #draftRun = '';
  #isLineOpen = false;
  readonly #claimed = new Set<string>();
  readonly #noted = new Set<string>();
  /** Parts that arrived before their run was known. */
  #held: PartFrame[] = [];

  constructor(settings: ChatViewSettings) {
    this.#settings = settings;
  }

  /** The last part that was shown. */
  get last(): number {
    return this.#last ?? 0;
  }

  /** Says that this run answers a message from here. */
  claim(runId: string): void {
    if (!this.#settings.isPlain) return;
    this.#claimed.add(runId);
    const isOwn = (part: PartFrame) => part.runId === runId;
    const own = this.#held.filter(isOwn);
    this.#held = this.#held.filter((part) => !isOwn(part));
    for (const part of own) this.#writePart(part);
  }

  show(frame: ServerFrame): void {
    const { isPlain, isWaiting } = this.#settings;
    if (frame.type === 'ready') this.#begin(frame.last);
    else if (frame.type === 'part') this.#showPart(frame);
    else if (frame.type === 'error') this.complain(frame.message);
    else if (frame.type === 'approval-start') this.#showApproval(frame);
    else if (!isPlain && isWaiting()) this.#showLive(frame);
    else if (!isPlain && frame.type === 'message-accepted' && frame.text !== '')
      this.note(`from elsewhere: ${frame.text}`);
  }

  /** Shows what the person typed, where the line editor did not draw it. */
  echo(text: string): void {
    this.#endLine();
    this.#settings.write(`> ${terminalText(text)}\n`);
  }

  /** Shows one line about what is going on. */
  note(text: string): void {
    if (this.#settings.isPlain) return;
    this.#endLine();
    const characters = [...oneLine(text)];
    const isLong = characters.length > LONGEST_NOTE;
    this.#settings.write(
      `  · ${isLong ? `${characters.slice(0, LONGEST_NOTE - 1).join('')}…` : characters.join('')}\n`,
    );
  }

  /** Shows once that an approval waits, from whichever source it is known. */
  noteApproval(approval: WaitingApproval): void {
    if (this.#noted.has(approval.id)) return;
    this.#noted.add(approval.id);
    const told = describeWaiting(approval);
    // A program cannot read the note, so its operator is told.
    if (this.#settings.isPlain) this.complain(`${told}. Answer it with "atrium approvals answer".`);
    else this.note(told);
  }

  complain(sentence: string): void {
    this.#endLine();
    this.#settings.complain(oneLine(sentence));
  }

  #begin(last: number): void {
    // The draft on the screen will be sent again. A number beyond the last one belongs to a store that was replaced.
    this.#voidDraft();
    this.#last = Math.min(this.#last ?? last, last);
  }

  /** A person who talks here gets the whole question as a part of the answer. */
  #showApproval({ approvalId: id, title, allowedDecisions }: Extract<ServerFrame, { type: 'approval-start' }>): void {
    const { isPlain, isWaiting } = this.#settings;
    if (isPlain || !isWaiting()) this.noteApproval({ id, title, allowedDecisions });
    else this.#voidDraft();
  }

  #showLive(frame: ServerFrame): void {
    switch (frame.type) {
      case 'run-start':
        this.#voidDraft();
        return;
      case 'text-delta':
        this.#open(terminalText(frame.text));
        this.#draft += frame.text;
        this.#draftRun = frame.runId;
        return;
      case 'text-reset':
        this.#voidDraft();
        this.note(`trying again: ${frame.reason}`);
        return;
      case 'tool-start':
        this.#voidDraft();
        this.note(`${frame.name} ${JSON.stringify(frame.params)}`);
        return;
      case 'tool-end':
        if (frame.isError) this.note(`${frame.name} failed: ${frame.content}`);
        return;
      case 'limit-near':
        this.note(frame.text);
    }
  }

  #showPart(part: PartFrame): void {
    if (part.seq <= (this.#last ?? 0)) return;
    this.#last = part.seq;
    const isShown = !this.#settings.isPlain || this.#claimed.has(part.runId);
    if (isShown) this.#writePart(part);
    else if (this.#held.push(part) > MOST_HELD) this.#held.shift();
  }

  #writePart({ runId, text }: PartFrame): void {
    if (this.#draft !== '' && runId !== this.#draftRun) {
      // The answer to a command stands amid the draft, and the draft goes on below it.
      this.#endLine();
      this.#settings.write(`${terminalText(text)}\n`);
      return;
    }
    const draft = this.#draft.trimStart();
    const said = text.trim();
    if (said !== '' && draft.startsWith(said)) {
      // A long answer is confirmed part by part.
      this.#draft = draft.slice(said.length);
      if (this.#draft.trim() === '') this.#voidDraft();
      return;
    }
    this.#voidDraft();
    this.#settings.write(`${terminalText(text)}\n`);
  }

  #open(text: string): void {
    if (text === '') return;
    this.#settings.write(text);
    this.#isLineOpen = !text.endsWith('\n');
  }

  #endLine(): void {
    if (this.#isLineOpen) this.#settings.write('\n');
    this.#isLineOpen = false;
  }

  #voidDraft(): void {
    this.#endLine();
    this.#draft = '';
  }
}
