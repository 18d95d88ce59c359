// What is going on while a person waits, as one line: what the agent does, and for how long the person has waited.

import type { ServerFrame } from '../../channels/server-frame.ts';
import { oneLine } from '../output/text.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** How often the line is drawn again. */
export const ACTIVITY_MS = 100;

export class ChatActivity {
  readonly #now: () => number;
  #since: number | undefined;
  #doing = 'waiting';
  /** The tools that run now, by the id of their call. */
  readonly #tools = new Map<string, string>();

  /** True while the gateway cannot be reached: then it is not known what the agent does. */
  isCutOff = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** A person begins to wait. */
  begin(): void {
    this.#since = this.#now();
    this.#doing = 'waiting';
    this.#tools.clear();
  }

  see(frame: ServerFrame): void {
    if (frame.type === 'run-start' || frame.type === 'text-reset') this.#doing = 'thinking';
    else if (frame.type === 'text-delta') this.#doing = 'writing';
    else if (frame.type === 'tool-start') this.#tools.set(frame.toolCallId, oneLine(frame.name));
    else if (frame.type === 'tool-end') this.#endTool(frame.toolCallId);
    else if (frame.type === 'wait-start') this.#doing = 'waiting for subagents';
    else if (frame.type === 'ready' || frame.type === 'run-end') this.#tools.clear();
  }

  /** The line for now; undefined when no answer is awaited. The time counts from `begin`. */
  line(isWaiting: boolean): string | undefined {
    if (!isWaiting) {
      this.#since = undefined;
      this.#doing = 'waiting';
      return undefined;
    }
    this.#since ??= this.#now();
    const ms = Math.max(0, this.#now() - this.#since);
    const sign = FRAMES[Math.floor(ms / ACTIVITY_MS) % FRAMES.length];
    const tools = [...this.#tools.values()].join(', ');
    const doing = this.isCutOff ? 'waiting for the gateway' : tools === '' ? this.#doing : `running ${tools}`;
    return `${sign} ${doing} · ${elapsed(ms)}`;
  }

  #endTool(id: string): void {
    this.#tools.delete(id);
    this.#doing = 'thinking';
  }
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}
