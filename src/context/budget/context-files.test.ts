import { describe, expect, it } from 'vitest';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { buildBootstrapContextFiles, type ContextFilesOptions } from './context-files.ts';

function build(files: readonly WorkspaceBootstrapFile[], options: ContextFilesOptions = {}) {
  const warnings: string[] = [];
  const built = buildBootstrapContextFiles(files, { ...options, warn: (message) => warnings.push(message) });
  return { built, warnings };
}

describe('the files as the prompt takes them', () => {
  it('keep their order, mark what is missing and leave out what is blank', () => {
    const { built, warnings } = build([
      { name: 'USER.md', path: '/ws/USER.md', missing: false, content: 'u\n' },
      { name: 'SOUL.md', path: '/ws/SOUL.md', missing: false, content: ' \n\t\n' },
      { name: 'TOOLS.md', path: '/ws/TOOLS.md', missing: false },
      { name: 'AGENTS.md', path: '/ws/AGENTS.md', missing: true },
    ]);
    expect(built).toEqual([
      { path: '/ws/USER.md', content: 'u' },
      { path: '/ws/AGENTS.md', content: '[MISSING] Expected at: /ws/AGENTS.md' },
    ]);
    expect(warnings).toEqual([]);
  });

  it('have their paths trimmed, and need one', () => {
    const { built, warnings } = build([
      { name: 'USER.md', path: '  /ws/USER.md ', missing: false, content: 'u' },
      { name: 'CUSTOM.md', path: undefined as unknown as string, missing: false, content: 'c' },
    ]);
    expect(built).toEqual([{ path: '/ws/USER.md', content: 'u' }]);
    expect(warnings).toEqual([
      'skipping bootstrap file "CUSTOM.md" — missing or invalid "path" field (hook may have used "filePath" instead)',
    ]);
  });

  it('get at least the limit of one file in all when no total is given', () => {
    const long: WorkspaceBootstrapFile = {
      name: 'SOUL.md',
      path: '/ws/SOUL.md',
      missing: false,
      content: 'x'.repeat(70_000),
    };
    expect(build([long], { maxChars: 70_000 }).built[0]?.content).toHaveLength(70_000);
    expect(build([long]).built[0]?.content).toHaveLength(11_999);
  });

  it('still hold one character each at a limit of zero', () => {
    const file: WorkspaceBootstrapFile = { name: 'SOUL.md', path: '/ws/SOUL.md', missing: false, content: 'abc' };
    expect(build([file], { maxChars: 0 }).built[0]?.content).toBe('[');
  });
});
