import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';

describe('a look at what an agent would read', () => {
  let scratch: ScratchGateway;
  beforeAll(async () => {
    scratch = await ScratchGateway.open({ files: { 'workspace/AGENTS.md': 'Be kind.\n' } });
  });
  afterAll(() => scratch.close());
  const bodyOf = async (request: Parameters<ScratchGateway['services']['context']['look']>[0]) =>
    (await scratch.services.context.look({ message: 'hello', ...request })).request?.wire.body ?? '';

  it('shows an edited file as if it were saved, with its author, and leaves the disk alone', async () => {
    const look = await scratch.services.context.look({
      message: 'hello',
      texts: { 'AGENTS.md': 'Be brief.\n', 'SOUL.md': 'Calm.\n' },
    });
    expect(look.request?.wire.body).toContain('Be brief.');
    expect(look.request?.wire.body).toContain('Calm.');
    expect(look.request?.wire.body).not.toContain('Be kind.');
    expect(look.request?.spans.find(({ text }) => text?.includes('Be brief.'))?.origin).toMatch(/AGENTS\.md/);
    expect(await bodyOf({})).toContain('Be kind.');
  });

  it('reads no file outside of the workspace by a name', async () => {
    expect(await bodyOf({ texts: { '../AGENTS.md': 'Sneaked in.' } })).not.toContain('Sneaked in.');
  });

  it('follows settings that are merged over the configuration, and checks them', async () => {
    const cut = await scratch.services.context.look({
      message: 'hello',
      config: { agents: { defaults: { model: 'fake/large', bootstrapMaxChars: 300 } } },
      texts: { 'AGENTS.md': 'A line of rules.\n'.repeat(100) },
    });
    expect(cut.request?.model).toBe('large');
    expect(cut.composition.report.cuts.map(({ file }) => file)).toContain('AGENTS.md');
    expect((await scratch.services.context.look({ message: 'hello' })).request?.model).toBe('small');
    await expect(bodyOf({ config: { agents: { defaults: { bootstrapMaxChars: 'many' } } } })).rejects.toMatchObject({
      code: 'ATRIUM_CONFIG_INVALID',
    });
  });

  it.each([
    { plugins: { enabled: true } },
    { hooks: { internal: { load: { extraDirs: ['/tmp'] } } } },
    { bootstrap: { handlers: [] } },
  ])('does not load code for a look: %j', async (config) => {
    await expect(bodyOf({ config })).rejects.toMatchObject({ code: 'ATRIUM_CONFIG_VARIANT', status: 400 });
  });
});
