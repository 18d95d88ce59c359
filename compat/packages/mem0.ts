import { reply } from '../../src/testkit/model-server.ts';
import { cell, hasAll, type PackageCheck } from '../package-check.ts';

const TOOLS = ['search', 'add', 'get', 'list', 'update', 'delete', 'event_list', 'event_status'].map(
  (name) => `memory_${name}`,
);

export const mem0: PackageCheck = {
  spec: '@mem0/openclaw-mem0@1.0.16',
  id: 'openclaw-mem0',
  exercises: 'the memory slot: capability, 8 tools, CLI, service, 2 hooks',
  config: ({ port }) => ({
    plugins: {
      slots: { memory: 'openclaw-mem0' },
      entries: {
        'openclaw-mem0': {
          config: {
            mode: 'platform',
            apiKey: 'not-a-key',
            baseUrl: `http://127.0.0.1:${port}`,
            userId: 'operator',
            autoRecall: true,
            autoCapture: true,
          },
          hooks: { allowConversationAccess: true },
        },
      },
    },
  }),
  check: async (rig) => {
    const { hooks, tools, services, cli, state, reason } = await rig.status();
    const armed = hooks.filter((each) => each.state === 'armed').map(({ hook }) => hook);
    const answer = await rig.ask('Hello.', [reply('Hello.')]);
    return [
      cell('loads', state === 'loaded', `${state}: ${reason}`),
      hasAll('before_prompt_build and agent_end', ['before_prompt_build', 'agent_end'], armed),
      hasAll('8 memory tools', TOOLS, tools),
      hasAll('offered to the model', ['memory_add', 'memory_list'], rig.offeredTools),
      cell('a service', services.length > 0, services),
      hasAll('CLI mem0', ['mem0'], cli),
      cell('the agent answers beside it', answer === 'Hello.', answer),
    ];
  },
};
