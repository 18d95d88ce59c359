import { reply } from '../../src/testkit/model-server.ts';
import { cell, hasAll, type PackageCheck } from '../package-check.ts';

export const natsEventstore: PackageCheck = {
  spec: '@vainplex/nats-eventstore@0.2.1',
  id: 'nats-eventstore',
  exercises: '16 hooks, service, command and gateway method, no import of the SDK',
  config: () => ({
    plugins: {
      entries: {
        'nats-eventstore': {
          // Nobody listens there.
          config: { natsUrl: 'nats://127.0.0.1:9' },
          hooks: { allowConversationAccess: true },
        },
      },
    },
  }),
  check: async (rig) => {
    const { hooks, services, commands, methods } = await rig.status();
    const armed = hooks.filter(({ state }) => state !== 'blocked').map(({ hook }) => hook);
    const answer = await rig.ask('Hello.', [reply('Hello.')]);
    const said = await rig.ask('/eventstatus', []);
    return [
      cell('16 handlers are armed', armed.length === 16, armed),
      cell('a service', services.length === 1, services),
      hasAll('the command eventstatus', ['eventstatus'], commands),
      hasAll('the method eventstore.status', ['eventstore.status'], methods),
      cell('the agent answers beside it', answer === 'Hello.', answer),
      cell('/eventstatus answers', said.includes('NATS Event Store'), said),
    ];
  },
};
