import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'workspace/AGENTS.md': '# Rules' });
});
afterEach(() => home.remove());

describe('a plugin that is required and is not there', () => {
  it.each(['preview', 'report'])('keeps %s from showing a request that no run would make', async (command) => {
    await home.write('openclaw.yaml', 'plugins: { entries: { guard: { required: true } } }\n');
    for (const more of [[], ['--message', 'hi']]) {
      const { code, out, err } = await home.run(['context', command, ...more]);
      expect([code, out], more.join(' ')).toEqual([2, '']);
      expect(err).toContain('The plugin "guard" is required and is not at work, so no run starts');
    }
    await home.write('openclaw.yaml', '{}');
    expect((await home.run(['context', command])).code).toBe(0);
  });
});

describe('an MCP server that was never started', () => {
  it('is named as what is missing, and with --strict that is an exit code', async () => {
    await home.write('openclaw.yaml', 'mcp: { servers: { clock: { command: clock-server } } }\n');
    for (const command of ['preview', 'report']) {
      for (const more of [[], ['--message', 'hi']]) {
        const asked = ['context', command, ...more];
        const { code, err } = await home.run(asked);
        expect([code, err], asked.join(' ')).toEqual([0, expect.stringContaining('tools of the MCP server clock')]);
        const { placeholders } = JSON.parse((await home.run([...asked, '--json'])).out);
        expect(placeholders).toEqual(['tools of the MCP server clock']);
        expect((await home.run([...asked, '--strict'])).code, asked.join(' ')).toBe(1);
      }
    }
  });
});

describe('a handler that is set to abort and cannot be loaded', () => {
  const handlers = (path: string) => `bootstrap: { handlers: [{ id: guard, path: ${path}, onError: abort }] }\n`;

  it.each([
    ['is not there', {}, 'the file is not there'],
    ['has a slip in it', { 'guard.mjs': 'export default ((;' }, 'guard.mjs'],
    ['exports nothing', { 'guard.mjs': 'export const other = 1;' }, 'no function'],
  ])('keeps anything from being composed: it %s', async (_, files, reason) => {
    await home.write('openclaw.yaml', handlers('guard.mjs'));
    for (const [name, text] of Object.entries(files)) await home.write(name, text);
    for (const command of ['preview', 'report']) {
      const { code, out, err } = await home.run(['context', command]);
      expect([code === 0, out], command).toEqual([false, '']);
      expect(err).toContain('"guard"');
      expect(err).toContain(reason);
    }
    expect((await home.run(['hooks', 'list'])).out).toMatch(/guard.*failed/);
    await home.write('openclaw.yaml', handlers('guard.mjs').replace('abort', 'skip'));
    expect((await home.run(['context', 'preview'])).code).toBe(0);
  });

  it('does the same as a hook pack whose handler is not there, unless the pack is off', async () => {
    const pack = { events: ['agent:bootstrap'], onError: 'abort' };
    await home.write('openclaw.yaml', '{}');
    await home.write(
      'hooks/guard/HOOK.md',
      `---\nname: guard\ndescription: Guards.\nmetadata: ${JSON.stringify({ openclaw: pack })}\n---\n`,
    );
    const { code, out, err } = await home.run(['context', 'preview']);
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toContain('hook:guard');
    expect(err).toContain('the file is not there');
    expect((await home.run(['hooks', 'list'])).out).toMatch(/guard.*failed/);
    await home.write('openclaw.yaml', 'hooks: { internal: { entries: { guard: { enabled: false } } } }\n');
    expect((await home.run(['context', 'preview'])).code).toBe(0);
  });

  it('does the same as a hook pack', async () => {
    await home.write('openclaw.yaml', '{}');
    await home.writePack('hooks/guard', { events: ['agent:bootstrap'], onError: 'abort' }, 'export default ((;');
    const { code, err } = await home.run(['context', 'preview']);
    expect(code).not.toBe(0);
    expect(err).toContain('hook:guard');
    await home.writePack('hooks/guard', { events: ['message:sent'], onError: 'abort' }, 'export default ((;');
    expect((await home.run(['context', 'preview'])).code).toBe(0);
  });
});
