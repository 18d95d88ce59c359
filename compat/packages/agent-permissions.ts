import { cell, hasAll, type PackageCheck } from '../package-check.ts';

export const agentPermissions: PackageCheck = {
  spec: '@clawnify/agent-permissions@0.6.0',
  id: 'agent-permissions',
  exercises: 'a gate: one hook and two declared tools',
  config: () => ({
    tools: { exec: { security: 'full', ask: 'off' }, allow: ['*'] },
    plugins: { entries: { 'agent-permissions': { config: { protectPermissions: false } } } },
  }),
  check: async (rig) => {
    const { hooks, tools } = await rig.status();
    const set = await rig.call('permissions_set', { deny: ['exec(rm *)'] });
    const blocked = await rig.call('exec', { command: 'rm -rf x' });
    const listed = await rig.call('exec', { command: 'echo listed' });
    return [
      cell(
        'before_tool_call is armed',
        hooks.some(({ hook, state }) => hook === 'before_tool_call' && state === 'armed'),
        hooks,
      ),
      hasAll('two tools', ['permissions_propose_hardening', 'permissions_set'], tools),
      cell('permissions_set answers', set.includes('exec(rm *)'), set),
      cell('exec rm -rf is blocked', /denied|blocked|deny/i.test(blocked), blocked),
      cell('another command is not', listed.includes('listed'), listed),
    ];
  },
};
