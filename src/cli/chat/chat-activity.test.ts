import { expect, it } from 'vitest';
import { ChatActivity } from './chat-activity.ts';

it('counts each wait from its own beginning, also when nobody looked in between', () => {
  let now = 0;
  const activity = new ChatActivity(() => now);
  activity.begin();
  now = 62_000;
  expect(activity.line(true)).toContain('waiting · 1m 2s');
  now = 90_000;
  activity.begin();
  now = 93_000;
  expect(activity.line(true)).toContain('waiting · 3s');
});

it('does not say that the agent writes while the gateway cannot be reached', () => {
  const activity = new ChatActivity(() => 0);
  activity.begin();
  const about = { runId: 'run_a', sessionKey: 'agent:main:main', at: 0, attempt: 1, call: 1 };
  activity.see({ type: 'text-delta', ...about, text: 'Hi' });
  expect(activity.line(true)).toContain('writing');
  activity.isCutOff = true;
  expect(activity.line(true)).toContain('waiting for the gateway');
  activity.isCutOff = false;
  expect(activity.line(true)).toContain('writing');
});
