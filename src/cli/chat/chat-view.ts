// What a chat shows, as text: it turns frames of the socket into characters. Drafts are shown as they arrive; of a part
// with the same text as the draft, only what is missing is written. It knows nothing of sockets or keyboards.

import type { ServerFrame } from '../../channels/server-frame.ts';
import { type TerminalStyle, terminalStyle } from '../output/terminal-style.ts';
import { oneLine, terminalText } from '../output/text.ts';
import { ChatDraft, type DraftPrinter, TypedDraft } from './chat-draft.ts';
import { ChatSteps } from './chat-steps.ts';
import { describeForShell, describeWaiting, type WaitingApproval } from './waiting-approvals.ts';

export interface ChatViewSettings {
  readonly write: (text: string) => void;
  /** Shows an error. */
  readonly complain: (sentence: string) => void;
  /**
   * Set for programs: the view then shows answers only, without drafts and notes, and only answers to messages from here, as `claim`
   * says. People also see what is said in the same place from elsewhere.
   */
  readonly isPlain: boolean;
  /** True while the person here waits for an answer; at other times drafts would disturb them while they type. */
  readonly isWaiting: () => boolean;
  /** How drafts are shown. Default: letters, as they come. */
  readonly printer?: DraftPrinter | undefined;
  /** An answer of an agent as lines. Default: as it is. */
  readonly format?: ((text: string) => string) | undefined;
  readonly style?: TerminalStyle | undefined;
}

type PartFrame = Extract<ServerFrame, { type: 'part' }>;

const LONGEST_NOTE = 160;
const MOST_HELD = 100;

export class ChatView {
  readonly #settings: ChatViewSettings;
  readonly #style: TerminalStyle;
  /**
   * Parts up to this number have been shown, or must not be shown. Undefined until the gateway has sent its position.
   */
  #last: number | undefined;
  readonly #draft: ChatDraft;
  readonly #steps = new ChatSteps();
  /** Runs of which a step was seen from its beginning, so that their drafts are whole. */
  readonly #followed = new Set<string>();
  /** Runs that only answer a command: their text is not Markdown. */
  readonly #commands = new Set<string>();
  readonly #claimed = new Set<string>();
  readonly #noted = new Set<string>();
  /** Approvals that were asked for. The part that has the question says the id. */
  readonly #questions = new Set<string>();
  /** Parts that arrived before their run was known. */
  #held: PartFrame[] = [];

  constructor(settings: ChatViewSettings) {
    this.#settings = settings;
    this.#draft = new ChatDraft(settings.printer ?? new TypedDraft(settings.write));
    this.#style = settings.style ?? terminalStyle({ isTerminal: false, variables: {} });
  }

  /** The last part that was shown. */
  get last(): number {
    return this.#last ?? 0;
  }

  /** Says that this run answers a message from here, which may be a command. */
  claim(runId: string, isCommand = false): void {
    if (isCommand) this.#commands.add(runId);
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
    else if (isPlain) return;
    else this.#showLive(frame, isWaiting());
    if (isPlain || isWaiting()) return;
    if (frame.type === 'message-accepted' && frame.text !== '') this.note(`from elsewhere: ${frame.text}`);
  }

  /** Shows what the person typed, where the line editor did not draw it. */
  echo(text: string): void {
    this.#draft.pause();
    this.#settings.write(`> ${terminalText(text)}\n`);
  }

  /** Shows one line about what is going on. */
  note(text: string): void {
    if (this.#settings.isPlain) return;
    this.#draft.pause();
    const characters = [...oneLine(text)];
    const isLong = characters.length > LONGEST_NOTE;
    const said = isLong ? `${characters.slice(0, LONGEST_NOTE - 1).join('')}…` : characters.join('');
    this.#settings.write(`${this.#style.paint(`  · ${said}`, 'dim')}\n`);
  }

  /** Shows once that an approval waits, from whichever source it is known. */
  noteApproval(approval: WaitingApproval): void {
    if (this.#noted.has(approval.id)) return;
    this.#noted.add(approval.id);
    // A program cannot read the note, so its operator is told.
    if (this.#settings.isPlain) this.complain(describeForShell(approval));
    else this.note(describeWaiting(approval));
  }

  complain(sentence: string): void {
    this.#draft.pause();
    this.#settings.complain(oneLine(sentence));
  }

  /** The run is over and its answer was shown. What is left of its draft stays, for it was never delivered. */
  endTurn(runId: string): void {
    if (this.#draft.runId === runId) this.#draft.end();
  }

  #begin(last: number): void {
    // The draft stays: the gateway tells the run from its beginning, or delivers its answer.
    this.#followed.clear();
    // A number beyond the last one belongs to a store that was replaced.
    this.#last = Math.min(this.#last ?? last, last);
  }

  /** A person who talks here gets the whole question as a part of the answer. */
  #showApproval({
    approvalId: id,
    runId,
    title,
    description,
    allowedDecisions,
  }: Extract<ServerFrame, { type: 'approval-start' }>): void {
    const { isPlain, isWaiting } = this.#settings;
    if (this.#questions.has(id)) return;
    this.#questions.add(id);
    if (isPlain || !isWaiting()) this.noteApproval({ id, runId, title, description, allowedDecisions });
    else this.#draft.end();
  }

  #showLive(frame: ServerFrame, isWaiting: boolean): void {
    const note = (text: string) => isWaiting && this.note(text);
    switch (frame.type) {
      case 'run-start':
        if (this.#draft.runId !== frame.runId) this.#draft.end();
        this.#followed.add(frame.runId);
        this.#steps.rewind(frame.runId);
        return;
      case 'text-delta':
        this.#showText(frame, isWaiting);
        return;
      case 'text-reset':
        this.#steps.reset(frame.runId, frame.call);
        this.#beginStep(frame.runId);
        note(`trying again: ${frame.reason}`);
        return;
      case 'tool-start':
        if (!this.#steps.isNewTool(frame.runId, frame.type, frame.toolCallId)) return;
        this.#beginStep(frame.runId);
        note(`${frame.name} ${JSON.stringify(frame.params)}`);
        return;
      case 'tool-end':
        if (!this.#steps.isNewTool(frame.runId, frame.type, frame.toolCallId)) return;
        this.#followed.add(frame.runId);
        if (frame.isError) note(`${frame.name} failed: ${frame.content}`);
        return;
      case 'limit-near':
        note(frame.text);
        return;
      case 'run-end':
        this.#followed.delete(frame.runId);
    }
  }

  #showText({ runId, call, text }: Extract<ServerFrame, { type: 'text-delta' }>, isWaiting: boolean): void {
    // Without its beginning, a draft could not be compared with the answer.
    if (!this.#followed.has(runId)) return;
    const fresh = this.#steps.add(runId, call, text);
    if (fresh.text === '') return;
    if (fresh.isOther || this.#draft.runId !== runId || this.#draft.call !== call) this.#draft.end();
    this.#draft.runId = runId;
    this.#draft.call = call;
    this.#draft.add(fresh.text, isWaiting);
  }

  #beginStep(runId: string): void {
    this.#draft.end();
    this.#followed.add(runId);
  }

  #showPart(part: PartFrame): void {
    if (part.seq <= (this.#last ?? 0)) return;
    this.#last = part.seq;
    const isShown = !this.#settings.isPlain || this.#claimed.has(part.runId);
    if (isShown) this.#writePart(part);
    else if (this.#held.push(part) > MOST_HELD) this.#held.shift();
  }

  #writePart({ runId, text }: PartFrame): void {
    if (!this.#draft.isEmpty && runId !== this.#draft.runId) {
      // The answer to a command stands amid the draft, and the draft goes on below it.
      this.#draft.pause();
    } else {
      if (this.#draft.confirm(text)) return;
      this.#draft.end();
    }
    const isMarkdown = !this.#commands.has(runId) && ![...this.#questions].some((id) => text.includes(id));
    const { format } = this.#settings;
    this.#settings.write(isMarkdown && format ? format(text) : `${terminalText(text)}\n`);
  }
}
