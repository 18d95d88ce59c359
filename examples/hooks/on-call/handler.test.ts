import assert from 'node:assert/strict';
import { test } from 'node:test';
import handler from './handler.ts';

test('on-call names the team of the day', () => {
  const event = {
    type: 'agent',
    action: 'bootstrap',
    sessionKey: 'agent:main:main',
    context: {
      workspaceDir: '/workspace',
      bootstrapFiles: [{ name: 'TOOLS.md', path: '/workspace/TOOLS.md', content: 'Notes.', missing: false }],
      timeContext: { hour: 10, dayOfWeek: 5, isWeekend: false, timezone: 'Europe/Lisbon' },
    },
    timestamp: new Date(0),
    messages: [],
  };
  handler(event);
  assert.match(event.context.bootstrapFiles[0]?.content ?? '', /^Notes\.[\s\S]*On call today: the field team\./);
});
