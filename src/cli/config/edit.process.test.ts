import { readdir, readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CliHome } from '../fixtures/cli-home.ts';

let home: CliHome;
beforeEach(async () => {
  home = await CliHome.create({ 'openclaw.json': '{\n  // ours\n  tools: { profile: "full" },\n}\n' });
});
afterEach(() => home.remove());

const edit = (EDITOR: string, answers?: readonly string[]) =>
  home.run(['config', 'edit'], { env: { EDITOR, PATH: process.env.PATH }, ...(answers && { answers }) });
const text = () => readFile(home.path('openclaw.json'), 'utf8');

describe('atrium config edit', () => {
  it('saves what the editor made of the file, comments and all', async () => {
    const { code, out } = await edit('sed -i s/full/coding/');
    expect([code, out]).toEqual([0, `Wrote ${home.path('openclaw.json')}.\n`]);
    expect(await text()).toBe('{\n  // ours\n  tools: { profile: "coding" },\n}\n');
    expect(await readdir(home.stateDir)).toEqual(['openclaw.json']);
  });

  it('saves nothing that cannot be used: it names the line, and opens the editor again', async () => {
    const once = `sh -c 'grep -q 5 "$1" && sed -i "s/5/[]/" "$1" || sed -i "s/profile: .full./deny: 5/" "$1"' sh`;
    const given = await edit(once, ['n']);
    expect([given.code, given.out]).toEqual([2, '']);
    expect(given.err).toContain(':3: tools.deny is the number 5; expected a list of texts.');
    const [, draft = ''] = /Your text is in (\S+),/.exec(given.err) ?? [];
    expect(await readFile(draft, 'utf8')).toContain('deny: 5');
    expect(await text()).toContain('"full"');
    // The next edit asks whether it should go on with that text.
    const mended = await edit(once, ['y']);
    expect(mended.code).toBe(0);
    expect(await text()).toContain('deny: []');
    expect(await readdir(home.stateDir)).toEqual(['openclaw.json']);
  });

  it('forgets what was given up, when it is told to', async () => {
    await edit(`sed -i 's/profile: .full./deny: 5/'`, ['n']);
    const { code } = await edit('sed -i s/full/coding/', ['n']);
    expect(code).toBe(0);
    expect(await text()).toContain('profile: "coding"');
    expect(await readdir(home.stateDir)).toEqual(['openclaw.json']);
  });

  it('opens a file that cannot be read, so that it can be mended', async () => {
    await home.write('openclaw.json', '{ tools: [');
    const { code } = await edit(`sh -c 'printf "{}" > "$1"' sh`);
    expect(code).toBe(0);
    expect(await text()).toBe('{}');
  });

  it('changes nothing when the editor fails', async () => {
    const { code, err } = await edit('false');
    expect(code).toBe(2);
    expect(err).toContain('The editor "false" ended with 1, so nothing was changed.');
    expect(await readdir(home.stateDir)).toEqual(['openclaw.json']);
  });

  it('opens no editor of its own without a terminal, where it would print keys', async () => {
    const { code, out, err } = await edit('');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('There is no terminal to edit in, so nothing was changed.');
    expect(await readdir(home.stateDir)).toEqual(['openclaw.json']);
  });

  it('saves nothing that no gateway starts with', async () => {
    const { code, err } = await edit(`sh -c 'echo "{ gateway: { auth: { mode: \\"trusted-proxy\\" } } }" > "$1"' sh`, [
      'n',
    ]);
    expect(code).toBe(2);
    expect(err).toContain('No gateway runs with these settings');
    expect(await text()).toContain('"full"');
  });
});
