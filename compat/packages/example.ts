import { cell, type PackageCheck } from '../package-check.ts';

export const example: PackageCheck = {
  spec: '@agents-store/openclaw-example@0.1.0',
  id: 'openclaw-example',
  exercises: 'function export, TypeScript; refused by OpenClaw',
  check: async (rig) => {
    const greeted = await rig.call('example_greet', { name: 'Ada' });
    const said = await rig.ask('/example', []);
    const ping = await rig.opened.services.methods.call('openclaw-example.ping', {}, {});
    return [
      cell('the tool example_greet', greeted.includes('Nice to meet you, Ada!'), greeted),
      cell('the command /example', said.includes('Example plugin is running'), said),
      cell('the gateway method', JSON.stringify(ping).includes('pong'), ping),
    ];
  },
};
