import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../../testkit/for-each-test.ts';
import type { Composition } from '../../compose.ts';
import { createGlobalFilesHandler } from './handler.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'own rules\nsecond\n' });
beforeEach(async () => {
  scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir }), { stability: 'static' });
});

const contentOf = ({ files }: Composition, name: string) =>
  files.find((file) => file.name === name && !file.missing)?.content;

describe('global files', () => {
  it('stand before the file of their name, with a rule between', async () => {
    await scratch.writeState('AGENTS.md', 'shared rules');
    expect(contentOf(await scratch.compose(), 'AGENTS.md')).toBe('shared rules\n\n---\n\nown rules\nsecond\n');
  });

  it('stand for a file that the workspace does not have', async () => {
    await scratch.writeState('SOUL.md', 'shared soul');
    expect(contentOf(await scratch.compose(), 'SOUL.md')).toBe('shared soul');
  });

  it('change nothing when there are none, or when they are blank', async () => {
    const plain = await scratch.compose();
    await scratch.writeState('AGENTS.md', ' \n');
    await scratch.writeState('README.md', 'not a bootstrap file');
    const composition = await scratch.compose();
    expect(composition.prompt.text).toBe(plain.prompt.text);
    expect(composition.report.absences).toContainEqual(
      expect.objectContaining({ what: join(scratch.stateDir, 'AGENTS.md'), reason: 'empty', by: 'global-files' }),
    );
  });

  it('are named as the authors of their lines, and the workspace of its own', async () => {
    const path = await scratch.writeState('AGENTS.md', 'shared\nrules\n');
    const { report } = await scratch.compose();
    const span = (text: string) => report.spans.find((each) => each.text.includes(text));
    expect(span('shared\nrules')?.origin).toEqual({ kind: 'handler', id: 'global-files', path, lines: [1, 2] });
    expect(span('own rules')?.origin).toEqual({ kind: 'file', path: scratch.path('AGENTS.md'), lines: [1, 2] });
    expect(span('\n\n---\n\n')?.origin).toEqual({ kind: 'handler', id: 'global-files' });
  });

  it('that may not be read are passed over, with the reason', async () => {
    await symlink(await scratch.writeOutside('secret.md', 'secret'), join(scratch.stateDir, 'AGENTS.md'));
    await mkdir(join(scratch.stateDir, 'SOUL.md'));
    const { prompt, report } = await scratch.compose();
    expect(prompt.text).not.toContain('secret');
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: join(scratch.stateDir, 'AGENTS.md'), reason: 'outside-workspace' }),
    );
    expect(report.absences).toContainEqual(
      expect.objectContaining({ what: join(scratch.stateDir, 'SOUL.md'), reason: 'missing' }),
    );
  });

  it('are not put before themselves when the state directory is the workspace', async () => {
    await scratch.writeState('AGENTS.md', 'both');
    const { files } = await scratch.compose({ input: { workspaceDir: scratch.stateDir } });
    expect(files[0]?.content).toBe('both');
  });

  it('do not bring a subagent or a group what they may not read', async () => {
    await scratch.writeState('MEMORY.md', 'shared memory');
    for (const sessionKey of ['agent:main:subagent:1', 'agent:main:discord:group:1'])
      expect((await scratch.compose({ sessionKey })).prompt.text).not.toContain('shared memory');
    expect((await scratch.compose()).prompt.text).toContain('shared memory');
  });

  it('are not for openboa agents, unless asked for', async () => {
    await scratch.writeState('AGENT.md', 'shared agent');
    expect((await scratch.compose({ taxonomy: 'openboa' })).prompt.text).not.toContain('shared agent');
    scratch.runner.unregister('agent:bootstrap', 'global-files');
    scratch.register('global-files', createGlobalFilesHandler({ stateDir: scratch.stateDir, openboaToo: true }));
    expect((await scratch.compose({ taxonomy: 'openboa' })).prompt.text).toContain('shared agent');
  });

  it('show an edit on the next run', async () => {
    await scratch.writeState('AGENTS.md', 'one');
    await scratch.compose();
    await scratch.writeState('AGENTS.md', 'two');
    expect(contentOf(await scratch.compose(), 'AGENTS.md')).toMatch(/^two\n/);
  });
});

it('lets events of another kind pass', async () => {
  const handler = createGlobalFilesHandler({ stateDir: scratch.stateDir });
  const event = { type: 'command', action: 'new', sessionKey: '', context: {}, timestamp: new Date(), messages: [] };
  await expect(handler(event)).resolves.toBeUndefined();
});
