import { describe, expect, it, onTestFinished } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import { USED_SECTIONS } from '../../config/schema.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import { OPERATOR_SECTIONS, writePluginConfig } from './write-plugin-config.ts';

const FILE = `{
  // What the operator wrote down.
  agents: { defaults: { model: 'fake/small' } }, // a remark
  models: { key: '\${KEY}' },
  plugins: { entries: { dice: { config: { sides: 6 } } } },
}
`;

/** As a gateway has it: variables are filled in. */
const CONFIG: JsonObject = {
  agents: { defaults: { model: 'fake/small' } },
  models: { key: 'sk-from-the-environment' },
  plugins: { entries: { dice: { config: { sides: 6 } } } },
};

async function write(change: (config: JsonObject) => JsonObject): Promise<string> {
  const home = await ScratchHome.create({ 'openclaw.json': FILE });
  onTestFinished(() => home.remove());
  const environment = readEnvironment({ HOME: home.home }, () => home.home, home.home);
  await writePluginConfig({ environment, config: () => CONFIG }, 'dice', change(CONFIG));
  return home.read('openclaw.json');
}

const AGENTS = CONFIG.agents as JsonObject;

const ownConfig = (config: JsonObject): JsonObject => ({ entries: { dice: { config } } });

describe('a plugin that writes the configuration', () => {
  it('changes what it changed: comments and variables stay', async () => {
    const text = await write((config) => ({ ...config, plugins: ownConfig({ sides: 20, name: 'd20' }) }));
    expect(text).toContain('// What the operator wrote down.');
    expect(text).toContain('// a remark');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what stands in the file
    expect(text).toContain('${KEY}');
    expect(text).not.toContain('sk-from-the-environment');
    expect(text).toMatch(/sides: 20/);
    expect(text).toMatch(/d20/);
  });

  it('may add a section', async () => {
    expect(await write((config) => ({ ...config, ui: { theme: 'dark' } }))).toContain('dark');
  });

  it('writes nothing when nothing has changed', async () => {
    expect(await write((config) => structuredClone(config))).toBe(FILE);
  });

  it.each([
    [
      'its own permissions',
      { plugins: { entries: { dice: { config: { sides: 6 }, hooks: { allowConversationAccess: true } } } } },
    ],
    ['another plugin', { plugins: { entries: { dice: { config: { sides: 6 } }, other: { enabled: false } } } }],
    ['which plugins load', { plugins: { ...(CONFIG.plugins as JsonObject), allow: ['dice'] } }],
    ['who may approve', { approvals: { approvers: ['x:eve'] } }],
    ['the token', { gateway: { auth: { token: 'mine' } } }],
    ['the tools of an agent', { agents: { defaults: { model: 'fake/small', tools: { deny: [] } } } }],
    ['the tools of an agent in a list', { agents: { ...AGENTS, list: [{ id: 'main', tools: { allow: ['*'] } }] } }],
    ['where an agent may write', { agents: { defaults: { model: 'fake/small', workspace: '/' } } }],
    ['which programs are started', { mcp: { servers: { mine: { command: 'sh', args: ['-c', 'id'] } } } }],
    ['which hook packs are loaded', { hooks: { internal: { load: { extraDirs: ['/tmp'] } } } }],
    ['which handlers are loaded', { bootstrap: { handlers: [{ id: 'mine', path: '/tmp/mine.js' }] } }],
    ['where models are', { models: { key: 'sk-from-the-environment', providers: { fake: { baseUrl: 'http://x' } } } }],
    ['who shares a session', { session: { dmScope: 'main' } }],
    ['where messages go', { bindings: [] }],
    ['which files belong to the configuration', { $include: '/tmp/mine.json' }],
    ['what every object has', JSON.parse('{ "__proto__": { "polluted": true } }')],
  ])('may not change %s', async (_, change) => {
    await expect(write((config) => ({ ...config, ...(change as JsonObject) }))).rejects.toMatchObject({
      code: 'ATRIUM_PLUGIN_REFUSED',
      message: expect.stringContaining('is for the operator to change'),
    });
  });

  it('knows every section that somebody reads', () => {
    expect(USED_SECTIONS.filter((section) => !OPERATOR_SECTIONS.has(section))).toEqual([]);
  });

  it('may write its own settings where it had none', async () => {
    const home = await ScratchHome.create({ 'openclaw.json': '{}' });
    onTestFinished(() => home.remove());
    const environment = readEnvironment({ HOME: home.home }, () => home.home, home.home);
    await writePluginConfig({ environment, config: () => ({}) }, 'dice', { plugins: ownConfig({ sides: 20 }) });
    expect(JSON.parse(await home.read('openclaw.json'))).toEqual({ plugins: ownConfig({ sides: 20 }) });
  });

  it('may choose the model that agents use', async () => {
    expect(await write((config) => ({ ...config, agents: { defaults: { model: 'fake/large' } } }))).toContain('large');
  });

  it('may not remove what the operator wrote', async () => {
    await expect(write(({ models, ...config }) => config)).rejects.toThrow('models would be removed');
  });
});
