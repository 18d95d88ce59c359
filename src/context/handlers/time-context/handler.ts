// Tells the agent what to do at this hour: quiet work at night, an overview in the morning, nothing special in between.
// The hour comes with the event, so a preview for 23:30 reads like the run at 23:30.

import { type InternalHookHandler, isAgentBootstrapEvent } from '../../../protocol/bootstrap-event.ts';
import { BootstrapFileHelper } from '../../bootstrap-file-helper.ts';

export interface TimeContextSettings {
  /** Hours from 0 to 23; the night may span midnight. */
  readonly overnightStart?: number | undefined;
  readonly overnightEnd?: number | undefined;
  /** Default: 9, or no morning at all when the night lasts longer than that. */
  readonly morningEnd?: number | undefined;
  readonly texts?: { readonly overnight?: string | undefined; readonly morning?: string | undefined } | undefined;
  /** The file that the text is appended to. */
  readonly file?: string | undefined;
}

export const OVERNIGHT_TEXT = `## Overnight

It is night for the person you work for. Until morning:
- Carry on with queued work by yourself instead of asking questions.
- Keep messages for the morning unless something is urgent.
- When in doubt take the safe way, and write down why.`;

export const MORNING_TEXT = `## Morning

A new day has begun. Before anything else:
- Sum up what happened overnight, if anything did.
- Look through the open tasks and say which come first.
- Name whatever is blocked and what would unblock it.`;

export function createTimeContextHandler(settings: TimeContextSettings = {}): InternalHookHandler {
  const { overnightStart = 22, overnightEnd = 6, texts, file = 'AGENTS.md' } = settings;
  const { morningEnd = Math.max(9, overnightEnd) } = settings;
  return (event) => {
    if (!isAgentBootstrapEvent(event) || !event.context.timeContext) return;
    const { hour } = event.context.timeContext;
    const text = isWithin(hour, overnightStart, overnightEnd)
      ? (texts?.overnight ?? OVERNIGHT_TEXT)
      : isWithin(hour, overnightEnd, morningEnd)
        ? (texts?.morning ?? MORNING_TEXT)
        : '';
    if (text !== '') new BootstrapFileHelper(event.context).appendToFile(file, text);
  };
}

/** From `start` up to but not including `end`; a span that ends before it starts goes through midnight. */
export function isWithin(hour: number, start: number, end: number): boolean {
  if (start === end) return false;
  return start < end ? hour >= start && hour < end : hour >= start || hour < end;
}
