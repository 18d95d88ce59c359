import { setTimeout as sleep } from 'node:timers/promises';
import { reply } from '../../src/testkit/model-server.ts';
import { cell, type PackageCheck } from '../package-check.ts';

export const provenance: PackageCheck = {
  spec: '@openexecution/openclaw-provenance@0.1.2',
  id: 'openclaw-provenance',
  exercises: '13 hooks, posts to a webhook on loopback',
  config: ({ home, port }) => ({
    plugins: {
      entries: {
        'openclaw-provenance': {
          config: {
            webhookUrl: `http://127.0.0.1:${port}/hook`,
            webhookSecret: 'not-a-secret',
            batchIntervalMs: 100,
            spoolDir: `${home}/spool`,
          },
          hooks: { allowConversationAccess: true },
        },
      },
    },
  }),
  check: async (rig) => {
    const { hooks } = await rig.status();
    await rig.ask('Hello.', [reply('Hello.')]);
    const isPosted = () => rig.posted.some((body) => body.includes('before_agent_start'));
    for (let tries = 0; tries < 50 && !isPosted(); tries += 1) await sleep(100);
    const armed = hooks.filter(({ state }) => state !== 'blocked');
    return [
      cell(
        '13 handlers are armed',
        armed.length === 13,
        armed.map(({ hook }) => hook),
      ),
      cell(
        'before_agent_start too',
        armed.some(({ hook }) => hook === 'before_agent_start'),
        armed.length,
      ),
      cell('what happened is posted', isPosted(), rig.posted.length),
    ];
  },
};
