import { cell, type PackageCheck } from '../package-check.ts';

export const kitchenSink: PackageCheck = {
  spec: '@openclaw/kitchen-sink@0.3.0',
  id: 'openclaw-kitchen-sink-fixture',
  exercises: 'every registrar and 42 typed hooks of a newer contract',
  config: () => ({
    plugins: {
      entries: {
        'openclaw-kitchen-sink-fixture': { enabled: true, hooks: { allowConversationAccess: true } },
      },
    },
  }),
  check: async (rig) => {
    const status = await rig.status();
    const { PLUGIN_HOOK_NAMES } = await import('../../src/plugins/admit-hook.ts');
    // Its contract is newer and has dropped two of ours.
    const dropped = ['before_agent_start', 'subagent_spawning'];
    const ours = PLUGIN_HOOK_NAMES.filter((name) => !dropped.includes(name));
    const accepted = new Set(status.hooks.filter(({ state }) => state !== 'blocked').map(({ hook }) => hook));
    const missing = ours.filter((name) => !accepted.has(name));
    const refused = status.notes.filter(({ code }) => code === 'refused' || code === 'refused-hook');
    const answer = await rig.ask('Hello.', [(await import('../../src/testkit/model-server.ts')).reply('Hello.')]);
    return [
      cell('loads', status.state === 'loaded', `${status.state}: ${status.reason}`),
      cell('every hook of ours is accepted', missing.length === 0, missing.length === 0 ? `${accepted.size}` : missing),
      cell(
        'unknown registrars and hooks are refused with a note',
        refused.length > 0,
        refused.map(({ message }) => message),
      ),
      cell('3 tools', status.tools.length >= 3, status.tools),
      cell('3 commands', status.commands.length >= 3, status.commands),
      cell('a service', status.services.length >= 1, status.services),
      cell('the agent answers beside it', answer !== '', answer),
    ];
  },
};
