import { reply } from '../../src/testkit/model-server.ts';
import { cell, type PackageCheck } from '../package-check.ts';

export const markdownStrip: PackageCheck = {
  spec: 'markdown-strip@1.0.0',
  id: 'markdown-strip',
  exercises: 'TypeScript entry, type-only import of the SDK',
  check: async (rig) => {
    const status = await rig.status();
    const stripped = await rig.ask('Be bold.', [reply('This is **bold**.')], rig.channels.imessage);
    const kept = await rig.ask('Be bold.', [reply('This is **bold**.')], rig.channels.telegram);
    return [
      cell(
        'message_sending is armed',
        status.hooks.some(({ hook, state }) => hook === 'message_sending' && state === 'armed'),
        status.hooks,
      ),
      cell('bold becomes plain on iMessage', stripped === 'This is bold.', stripped),
      cell('and stays on Telegram', kept === 'This is **bold**.', kept),
    ];
  },
};
