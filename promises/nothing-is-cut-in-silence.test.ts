import { link, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reply } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import { ScratchGateway } from '../src/testkit/scratch-gateway.ts';

let gateway: ScratchGateway | undefined;
afterEach(() => gateway?.close());

const LONG = `# Rules\n\n${Array.from({ length: 60 }, (_, index) => `Line ${index} says something of its own.`).join('\n')}\n`;

async function talk(scratch: ScratchGateway, sessionKey?: string): Promise<void> {
  const { runId } = await scratch.channel.says({}, 'hello', sessionKey === undefined ? {} : { sessionKey });
  await scratch.services.runs.wait(runId);
}

describe('what operators are told about the context of their agents', () => {
  it('names the cut lines once, in the log and in the status, and takes it back when the file fits again', async () => {
    gateway = await ScratchGateway.open({
      files: { 'workspace/AGENTS.md': LONG },
      config: {
        agents: { defaults: { model: 'fake/small', bootstrapMaxChars: 800 } },
        bootstrap: { policyDigest: false },
      },
    });
    gateway.model.script(() => reply('ok'));
    await talk(gateway);
    await talk(gateway);
    await talk(gateway, 'agent:main:subagent:x');
    const told = gateway.warnings.filter((sentence) => sentence.includes('AGENTS.md'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^The agent "main" does not read all of AGENTS\.md: lines \d+-\d+ are cut to fit\. /);
    expect((await gateway.services.status()).warnings).toContain(told[0]);

    await gateway.home.write('workspace/AGENTS.md', '# Rules\n\nBe brief.\n');
    await talk(gateway);
    await talk(gateway, 'agent:main:subagent:x');
    expect((await gateway.services.status()).warnings.filter((sentence) => sentence.includes('AGENTS.md'))).toEqual([]);
  });

  it('names files that are there and cannot be read, once, until they can', async () => {
    gateway = await ScratchGateway.open({ files: { 'workspace/SOUL.md': 'Warm.\n' } });
    const place = (name: string) => join(gateway?.workspaceDir ?? '', name);
    gateway.model.script(() => reply('ok'));
    // The first run waits until the gateway has made the workspace, so that no template comes between what follows.
    await talk(gateway);
    await writeFile(place('AGENTS.md'), Buffer.from('Keine Gr\u00fc\u00dfe.\n', 'latin1'));
    await gateway.home.write('elsewhere/TOOLS.md', 'Use rg.\n');
    await rm(place('TOOLS.md'), { force: true });
    await symlink(join(gateway.home.stateDir, 'elsewhere/TOOLS.md'), place('TOOLS.md'));
    await link(place('SOUL.md'), join(gateway.home.stateDir, 'SOUL-copy.md'));
    await writeFile(join(gateway.home.stateDir, 'IDENTITY.md'), Buffer.from([0x41, 0xff]));
    await talk(gateway);
    await talk(gateway);
    const told = gateway.warnings.filter((sentence) => sentence.includes('which is there'));
    expect(told).toEqual([
      expect.stringMatching(/does not read .*\/IDENTITY\.md, which is there: it is not UTF-8 text, see line 1;/),
      'The agent "main" does not read AGENTS.md, which is there: it is not UTF-8 text, see line 1; save it as UTF-8.',
      expect.stringMatching(/does not read SOUL\.md, which is there: it is a hard link, .*bootstrap\.allowedRoots/),
      expect.stringMatching(/does not read TOOLS\.md, which is there: its real path is .*bootstrap\.allowedRoots/),
    ]);
    expect((await gateway.services.status()).warnings).toEqual(expect.arrayContaining(told));
    const sent = gateway.model.requests.at(-1)?.body ?? '';
    expect(sent).not.toContain('\ufffd');
    expect(sent).toContain('[UNREADABLE] Present but not readable: ');

    await gateway.home.write('workspace/AGENTS.md', 'Be brief.\n');
    await talk(gateway);
    expect((await gateway.services.status()).warnings.join('\n')).not.toContain('AGENTS.md');
  });

  it('names a bootstrap handler that failed', async () => {
    gateway = await ScratchGateway.open({
      register: (hooks) =>
        on(hooks, 'agent:bootstrap', 'broken', () => {
          throw new Error('no');
        }),
    });
    gateway.model.script(() => reply('ok'));
    await talk(gateway);
    await talk(gateway);
    expect(gateway.warnings.filter((sentence) => sentence.includes('broken'))).toEqual([
      'The handler broken of broken on agent:bootstrap failed: it threw: no.',
    ]);
    expect((await gateway.services.status()).warnings).toContain(
      'The agent "main" does not read what broken has to add, because it failed: no. "atrium context report --agent main" shows more.',
    );
  });
});
