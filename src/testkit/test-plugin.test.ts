import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { savePluginScaffold, scaffoldPlugin } from '../plugins/authoring/scaffold-plugin.ts';
import { folderForTest } from './folder-for-test.ts';
import { reply, toolCall } from './model-server.ts';
import { type TestedPlugin, testPlugin } from './test-plugin.ts';

let root: string;
let dir: string;
let plugin: TestedPlugin | undefined;
beforeEach(async () => {
  root = await folderForTest();
  dir = join(root, 'tea-time');
  await savePluginScaffold(scaffoldPlugin(dir, 'tea-time', '/types'));
});
afterEach(async () => {
  await plugin?.close();
  plugin = undefined;
});

describe('a plugin under test', () => {
  it('speaks through its hook and its tool, as in a gateway', async () => {
    plugin = await testPlugin(pathToFileURL(`${dir}/`), { config: { greeting: 'Ahoy' } });
    plugin.modelAnswers(toolCall('tea_time_greet', { name: 'Ana' }), reply('Done.'));
    expect(await plugin.says('Greet Ana.')).toBe('Done.');
    const [asked, answered] = plugin.modelWasSent;
    expect(asked).toContain('people are greeted with');
    expect(answered).toContain('Ahoy, Ana!');
    expect(plugin.warnings).toEqual([]);
  });

  it('is told apart from one that does not load', async () => {
    await writeFile(join(dir, 'index.ts'), 'throw new Error("broken");');
    await expect(testPlugin(dir)).rejects.toThrow(/The plugin "tea-time" is failed: .*broken/);
    await expect(testPlugin(dir, { config: { greeting: 1 } })).rejects.toThrow(/greeting/);
    await expect(testPlugin(join(root, 'nothing'))).rejects.toThrow(/There is no plugin in/);
  });
});
