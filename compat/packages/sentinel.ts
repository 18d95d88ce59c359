import { reply } from '../../src/testkit/model-server.ts';
import { cell, type PackageCheck } from '../package-check.ts';

export const sentinel: PackageCheck = {
  spec: '@coffeexdev/openclaw-sentinel@0.8.3',
  id: 'openclaw-sentinel',
  exercises: 'bare import of openclaw/plugin-sdk; OpenClaw fails it',
  check: async (rig) => {
    const { state, reason, tools, hooks, routes } = await rig.status();
    await rig.ask('Hello.', [reply('Hello.')]);
    const offered = rig.offeredTools.filter((name) => name.startsWith('sentinel'));
    return [
      cell('loads', state === 'loaded', `${state}: ${reason}`),
      cell('3 tools by factory', tools.length === 3 || offered.length === 3, [tools, offered]),
      cell(
        '2 hooks',
        hooks.filter((each) => each.state === 'armed').length === 2,
        hooks.map(({ hook }) => hook),
      ),
      cell(
        'the route /hooks/sentinel',
        routes.some((route) => route.includes('/hooks/sentinel')),
        routes,
      ),
    ];
  },
};
