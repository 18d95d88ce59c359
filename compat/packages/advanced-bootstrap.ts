import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply } from '../../src/testkit/model-server.ts';
import { cell, type PackageCheck } from '../package-check.ts';

export const advancedBootstrap: PackageCheck = {
  spec: '@johnnren/openclaw-hook-advanced-bootstrap@1.0.0',
  id: 'advanced-bootstrap',
  exercises: 'a hook pack at the root of a package',
  config: ({ home }) => ({
    hooks: {
      internal: {
        enabled: true,
        entries: {
          'advanced-bootstrap': { enabled: true, sources: [{ path: `${home}/shared/*.md`, mode: 'append' }] },
        },
      },
    },
  }),
  check: async (rig) => {
    await mkdir(join(rig.home, 'shared'), { recursive: true });
    await writeFile(join(rig.home, 'shared', 'house.md'), 'The house rule is tea at four.\n');
    await rig.ask('Hello.', [reply('Hello.')]);
    const listed = await rig.cli(['hooks', 'list', '--json']);
    return [
      cell('is listed on agent:bootstrap', listed.includes('advanced-bootstrap'), listed),
      cell('its file is in the prompt', rig.lastRequest.includes('tea at four'), rig.warnings),
    ];
  },
};
