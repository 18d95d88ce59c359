// Skills that plugins bring: agents are told of them while the plugin is loaded, and can read them and nothing beside.

import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatewayForTest } from '../../testkit/gateway-for-test.ts';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { pluginFiles } from '../../testkit/plugin-files.ts';
import type { ScratchGateway } from '../../testkit/scratch-gateway.ts';

const FILES = {
  ...pluginFiles('kit', '', { manifest: { skills: ['./skills', '../../secrets'] } }),
  'extensions/kit/skills/saw/SKILL.md': '---\nname: saw\ndescription: Saws wood.\n---\nHold it with both hands.\n',
  'extensions/kit/token.txt': 'the token of the plugin',
  'secrets/diary/SKILL.md': '---\nname: diary\ndescription: Private.\n---\n',
  'skills/plane/SKILL.md': '---\nname: plane\ndescription: Planes wood.\n---\nWith the grain.\n',
};

const opened = () =>
  gatewayForTest({ files: FILES, config: { plugins: { entries: { kit: { isolation: 'inline' } } } } });

/** What the model is sent after it asked for a file. */
async function reads({ channel, model }: ScratchGateway, path: string): Promise<string> {
  model.script([toolCall('read', { path }), reply(`read ${path}`)]);
  await channel.asks({}, 'Go on.', `read ${path}`);
  return JSON.stringify(messagesOf(model).at(-1));
}

/** Of the latest request. */
function messagesOf({ requests }: ScratchGateway['model']): readonly unknown[] {
  return requests.at(-1)?.json.messages as unknown[];
}

it('are listed while their plugin is loaded, as far as they lie in its folder', async () => {
  const scratch = await opened();
  const { channel, model, home, services } = scratch;
  const prompt = async () => {
    model.script([reply('Yes.')]);
    await channel.asks({}, 'Hello.', 'Yes.');
    return JSON.stringify(messagesOf(model)[0]);
  };
  const before = await prompt();
  expect(before).toContain(`saw: Saws wood. (${home.path('extensions/kit/skills/saw/SKILL.md')})`);
  expect(before).not.toContain('Private.');
  expect(services.plugins.inspect('kit').skills).toEqual(['./skills', '../../secrets']);

  const config = JSON.parse(await home.read('openclaw.json'));
  await home.write('openclaw.json', JSON.stringify({ ...config, plugins: { deny: ['kit'] } }));
  await services.plugins.reload('kit');
  const after = await prompt();
  expect(after).not.toContain('saw');
  expect(after).toContain('plane: Planes wood.');
});

it('are read where they are, and what lies beside them is not', async () => {
  const scratch = await opened();
  const { home } = scratch;
  await writeFile(home.path('extensions/kit/skills/saw/teeth.md'), 'Count them.');
  await symlink(home.path('extensions/kit/token.txt'), home.path('extensions/kit/skills/saw/token.md'));
  expect(await reads(scratch, home.path('extensions/kit/skills/saw/SKILL.md'))).toContain('both hands');
  expect(await reads(scratch, home.path('extensions/kit/skills/saw/teeth.md'))).toContain('Count them.');
  expect(await reads(scratch, home.path('skills/plane/SKILL.md'))).toContain('With the grain.');
  for (const path of [
    'extensions/kit/token.txt',
    'extensions/kit/skills/../token.txt',
    'extensions/kit/skills/saw/token.md',
    'secrets/diary/SKILL.md',
    'openclaw.json',
  ]) {
    expect(await reads(scratch, join(home.stateDir, '/') + path)).toMatch(/leads out of/);
  }
});
