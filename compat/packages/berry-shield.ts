import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply } from '../../src/testkit/model-server.ts';
import { cell, hasAll, type PackageCheck } from '../package-check.ts';

/** In the form that scanners look for, and nobody's. */
const KEY = ['AKIA', 'IOSFODNN7QQ2WXYZ'].join('');

export const berryShield: PackageCheck = {
  spec: '@f4bioo/berry-shield@2026.3.20',
  id: 'berry-shield',
  exercises: 'a redactor: several handlers a hook, CLI, legacy hook, undeclared tool',
  config: () => ({
    tools: { exec: { security: 'full', ask: 'off' } },
    plugins: { entries: { 'berry-shield': { hooks: { allowConversationAccess: true } } } },
  }),
  check: async (rig) => {
    const { hooks, tools, cli, notes } = await rig.status();
    const blocked = await rig.call('exec', { command: 'rm -rf /' });
    await writeFile(join(rig.stateDir, 'workspace', 'notes.txt'), `The key is ${KEY}.\n`);
    const read = await rig.call('read', { path: 'notes.txt' });
    const request = rig.lastRequest;
    const shown = await rig.ask('What is the key?', [reply(`The key is ${KEY}.`)]);
    const printed = await rig.cli(['bshield', '--help']).catch((error: Error) => error.message);
    return [
      cell(
        'several handlers on one hook',
        hooks.filter(({ hook }) => hook === 'before_tool_call').length > 1,
        hooks.map(({ hook }) => hook),
      ),
      cell(
        'before_agent_start is armed',
        hooks.some(({ hook, state }) => hook === 'before_agent_start' && state === 'armed'),
        '',
      ),
      hasAll('the undeclared tool is there', ['berry_check'], tools),
      cell(
        'and noted',
        notes.some(({ code }) => code === 'undeclared-tool'),
        notes.map(({ code }) => code),
      ),
      cell(
        'exec rm -rf / is blocked',
        !blocked.includes('exit code 0') && /block|denied|shield|destructive/i.test(blocked),
        blocked,
      ),
      cell(
        'an AWS key in the result of a tool does not reach the model',
        !request.includes(KEY) && !request.includes('no file') && read.includes('The key is'),
        read,
      ),
      cell('an AWS key in an answer is rewritten', shown !== '' && !shown.includes(KEY), shown),
      hasAll('CLI bshield', ['bshield'], cli),
      cell('atrium bshield --help', printed.includes('Berry Shield'), printed),
    ];
  },
};
