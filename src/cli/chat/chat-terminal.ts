// The terminal of a chat: the line editor while a person is asked for a message, and the live lines while they wait.
// Both share one screen and never draw at the same time. It knows nothing of gateways.

import type { TerminalStyle } from '../output/terminal-style.ts';
import { ACTIVITY_MS } from './chat-activity.ts';
import { ChatPrompt, type ChatPromptSettings, type KeyQuestion } from './chat-prompt.ts';
import { LiveRegion } from './live-region.ts';

export interface ChatTerminalSettings extends ChatPromptSettings {
  readonly style: TerminalStyle;
  /** One line about what is going on; undefined when nothing is. */
  readonly activity: () => string | undefined;
}

export class ChatTerminal {
  readonly #settings: ChatTerminalSettings;
  readonly #prompt: ChatPrompt;
  readonly #region: LiveRegion;
  readonly #timer: NodeJS.Timeout | undefined;
  #preview: readonly string[] = [];

  constructor(settings: ChatTerminalSettings) {
    this.#settings = settings;
    this.#prompt = new ChatPrompt(settings);
    this.#region = new LiveRegion(settings.output);
    if (settings.style.isLive) this.#timer = setInterval(() => this.#draw(), ACTIVITY_MS).unref();
  }

  get history(): readonly string[] {
    return this.#prompt.history;
  }

  /** The lines that `preview` can show; one is for what is going on. */
  get height(): number {
    return Math.max(1, this.#region.height - 1);
  }

  next(): Promise<string | undefined> {
    this.#region.clear();
    return this.#prompt.next();
  }

  write(text: string): void {
    if (this.#prompt.isShown) this.#prompt.write(text);
    else this.#region.write(text);
  }

  /** Shows lines that will be replaced. While a person types there is no room for them. */
  preview(lines: readonly string[]): void {
    this.#preview = lines;
    this.#draw();
  }

  ask(question: KeyQuestion | undefined): void {
    this.#prompt.ask(question);
  }

  /** Hands in a message as if it had been typed. */
  submit(text: string): void {
    this.#prompt.submit(text);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#region.clear();
    this.#prompt.close();
  }

  #draw(): void {
    const { style, activity } = this.#settings;
    if (!style.isLive || this.#prompt.isShown) return;
    const line = activity();
    const lines = line === undefined ? this.#preview : [...this.#preview, line];
    this.#region.show(lines, (text, index) =>
      line !== undefined && index === Math.min(lines.length, this.#region.height) - 1 ? style.paint(text, 'dim') : text,
    );
  }
}
