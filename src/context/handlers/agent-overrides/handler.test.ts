import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../../../testkit/for-each-test.ts';
import type { Composition } from '../../compose.ts';
import { type AgentOverridesSettings, createAgentOverridesHandler } from './handler.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'rules', 'SOUL.md': 'soul' });

function use(mode?: AgentOverridesSettings['mode'], overrideDir = join(scratch.stateDir, 'agents')): void {
  scratch.register('agent-overrides', createAgentOverridesHandler({ overrideDir, mode }));
}
const override = (agent: string, name: string, text: string) => scratch.writeState(`agents/${agent}/${name}`, text);
const contentOf = ({ files }: Composition, name = 'AGENTS.md') =>
  files.find((file) => file.name === name && !file.missing)?.content;

describe('what one agent is told', () => {
  it('is appended under its own heading', async () => {
    use();
    await override('ana', 'AGENTS.md', 'be brief\n');
    const composition = await scratch.compose({ agentId: 'ana' });
    expect(contentOf(composition)).toBe('rules\n\n---\n\n\n## Agent-Specific: ana\n\nbe brief\n');
    expect(contentOf(composition, 'SOUL.md')).toBe('soul');
  });

  it('is for that agent only', async () => {
    use();
    await override('ana', 'AGENTS.md', 'be brief');
    expect(contentOf(await scratch.compose({ agentId: 'bob' }))).toBe('rules');
    expect(contentOf(await scratch.compose({ agentId: undefined }))).toBe('rules');
  });

  it('can be prepended, or stand instead', async () => {
    await override('ana', 'AGENTS.md', 'be brief');
    use('prepend');
    expect(contentOf(await scratch.compose({ agentId: 'ana' }))).toBe(
      '\n## Agent-Specific: ana\n\nbe brief\n\n---\n\nrules',
    );
    scratch.runner.unregister('agent:bootstrap', 'agent-overrides');
    use('replace');
    expect(contentOf(await scratch.compose({ agentId: 'ana' }))).toBe('be brief');
  });

  it('can be set file by file; what is not named is appended', async () => {
    await override('ana', 'AGENTS.md', 'be brief');
    await override('ana', 'SOUL.md', 'be warm');
    use({ 'SOUL.md': 'replace' });
    const composition = await scratch.compose({ agentId: 'ana' });
    expect(contentOf(composition, 'SOUL.md')).toBe('be warm');
    expect(contentOf(composition)).toMatch(/^rules\n\n---/);
  });

  it('creates a file that the workspace does not have', async () => {
    use();
    await override('ana', 'USER.md', 'somebody');
    expect(contentOf(await scratch.compose({ agentId: 'ana' }), 'USER.md')).toBe(
      '\n## Agent-Specific: ana\n\nsomebody',
    );
  });

  it('can lie elsewhere', async () => {
    use('append', join(scratch.outsideDir, 'overrides'));
    await scratch.writeOutside('overrides/ana/AGENTS.md', 'from elsewhere');
    expect(contentOf(await scratch.compose({ agentId: 'ana' }))).toContain('from elsewhere');
  });

  it('is found by the agent’s normal id, and never outside its folder', async () => {
    use();
    await override('ana', 'AGENTS.md', 'be brief');
    await scratch.writeState('AGENTS.md', 'not an override');
    expect(contentOf(await scratch.compose({ agentId: ' ANA ' }))).toContain('Agent-Specific: ana');
    for (const agentId of ['..', '../', '.', '../agents/ana/..'])
      expect(contentOf(await scratch.compose({ agentId }))).toBe('rules');
    await symlink(await scratch.writeOutside('secret.md', 'secret'), join(scratch.stateDir, 'agents/ana/SOUL.md'));
    const composition = await scratch.compose({ agentId: 'ana' });
    expect(composition.prompt.text).not.toContain('secret');
    expect(composition.report.absences).toContainEqual(
      expect.objectContaining({ what: join(scratch.stateDir, 'agents/ana/SOUL.md'), reason: 'outside-workspace' }),
    );
  });

  it('changes nothing when it is blank, in any mode', async () => {
    await override('ana', 'AGENTS.md', '\n \n');
    use('replace');
    const composition = await scratch.compose({ agentId: 'ana' });
    expect(contentOf(composition)).toBe('rules');
    expect(composition.report.absences).toContainEqual(
      expect.objectContaining({ what: join(scratch.stateDir, 'agents/ana/AGENTS.md'), reason: 'empty' }),
    );
  });

  it('has its own path and lines as author, and its heading the handler', async () => {
    use();
    const path = await override('ana', 'AGENTS.md', 'one\ntwo\n');
    const { report } = await scratch.compose({ agentId: 'ana' });
    expect(report.spans.find(({ text }) => text.startsWith('one\ntwo'))?.origin).toEqual({
      kind: 'handler',
      id: 'agent-overrides',
      path,
      lines: [1, 2],
    });
    expect(report.spans.find(({ text }) => text.includes('Agent-Specific'))?.origin).toEqual({
      kind: 'handler',
      id: 'agent-overrides',
    });
  });

  it('reaches an openboa agent’s files under their names', async () => {
    use();
    await scratch.write('AGENT.md', 'agent');
    await override('ana', 'AGENT.md', 'be brief');
    expect(contentOf(await scratch.compose({ agentId: 'ana', taxonomy: 'openboa' }), 'AGENT.md')).toContain('be brief');
  });
});
