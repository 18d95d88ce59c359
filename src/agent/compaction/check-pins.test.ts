import { describe, expect, it } from 'vitest';
import { checkPins } from './check-pins.ts';

const AGENTS =
  '# Rules\n\n## Safety\n\nNever run\n  `rm -rf`.\n\n### More\n\nAsk first.\n\n<!-- keep -->\n## Style\n\nBe brief.\n';
const files = [
  { name: 'AGENTS.md', content: AGENTS, missing: false },
  { name: 'SOUL.md', missing: true },
];

describe('pins', () => {
  it('that are still there need nothing, in any case, spacing and line ends', () => {
    const texts = ['...the  DOOR\ncode is 4711. Bye', '## safety Never run `rm -rf`. ### More\nAsk first.'];
    const pins = ['The door code is 4711.', 'AGENTS.md#Safety', 'agents.md # safety'];
    expect(checkPins(pins, { texts, files })).toEqual({ missing: [], lost: [] });
  });

  it('that are missing are added again, sections whole and without their neighbours', () => {
    expect(checkPins(['Use #ops for alarms', 'AGENTS.md#Safety'], { texts: ['nothing'], files })).toEqual({
      missing: [
        { pin: 'Use #ops for alarms', text: '- Use #ops for alarms' },
        {
          pin: 'AGENTS.md#Safety',
          text: 'From AGENTS.md:\n## Safety\n\nNever run\n  `rm -rf`.\n\n### More\n\nAsk first.',
        },
      ],
      lost: [],
    });
  });

  it('that cannot be said again are named with the reason', () => {
    const long = { name: 'TOOLS.md', content: `# Long\n${'x'.repeat(20_001)}`, missing: false };
    const pins = ['MEMORY.md#Secrets', 'SOUL.md#Core', 'AGENTS.md#Gone', 'TOOLS.md#Long'];
    expect(checkPins(pins, { texts: [], files: [...files, long] }).lost).toEqual([
      { pin: 'MEMORY.md#Secrets', reason: 'this session reads no MEMORY.md' },
      { pin: 'SOUL.md#Core', reason: 'this session reads no SOUL.md' },
      { pin: 'AGENTS.md#Gone', reason: 'AGENTS.md has no such section' },
      { pin: 'TOOLS.md#Long', reason: 'the section is too long (20008 characters)' },
    ]);
  });
});
