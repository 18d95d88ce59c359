import { cell, hasAll, type PackageCheck } from '../package-check.ts';

export const emberclaw: PackageCheck = {
  spec: '@emberclaw/openclaw-plugin@0.1.0',
  id: 'emberclaw',
  exercises: 'ten internal hooks, HTTP route, CLI, gateway method, reads of the runtime',
  check: async (rig) => {
    const { state, reason, internalHooks, hooks, routes, services, cli, methods, where } = await rig.status();
    return [
      cell('loads', state === 'loaded', `${state}: ${reason}`),
      cell('ten handlers of registerHook', internalHooks.length + hooks.length === 10, [
        internalHooks,
        hooks.map(({ hook }) => hook),
      ]),
      cell(
        'the route /emberclaw/ws',
        routes.some((route) => route.includes('/emberclaw/ws')),
        routes,
      ),
      cell('runs in the worker all the same', where === 'worker', where ?? 'nowhere'),
      hasAll('the service', ['emberclaw-tunnel'], services),
      hasAll('CLI emberclaw', ['emberclaw'], cli),
      cell('a gateway method', methods.length > 0, methods),
    ];
  },
};
