import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import { BootstrapFileHelper } from './bootstrap-file-helper.ts';
import { loadWorkspaceBootstrapFiles } from './sources/workspace-files.ts';
import { OPENBOA_TAXONOMY, OPENCLAW_TAXONOMY } from './taxonomy.ts';

const scratch = workspaceForEachTest({
  'AGENTS.md': '# Rules\n\nBe kind.\n',
  'SOUL.md': 'Warm.\n',
  'TOOLS.md': 'None.\n',
  'MEMORY.md': 'Ana likes tea.\n',
});

describe('composing', () => {
  it('without handlers gives the plain workspace', async () => {
    const plain = await loadWorkspaceBootstrapFiles(scratch.workspaceDir);
    expect((await scratch.compose()).files).toEqual(plain);
  });

  it('gives the files as the handlers left them, before any cut', async () => {
    const long = 'x'.repeat(30_000);
    scratch.on('adds', (context) => new BootstrapFileHelper(context).appendToFile('SOUL.md', long));
    const { files, report } = await scratch.compose();
    expect(files[1]).toEqual({
      name: 'SOUL.md',
      path: scratch.path('SOUL.md'),
      content: `Warm.\n\n\n---\n\n${long}`,
      missing: false,
    });
    expect(report.cuts).toHaveLength(1);
  });

  it('explains every character: spans in order, without gap or overlap, that join to the prompt', async () => {
    scratch.on('adds', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', 'And brief.'));
    const { prompt, report } = await scratch.compose({ policy: { maxChars: 20 } });
    expect(report.spans.map(({ text }) => text).join('')).toBe(prompt.text);
    let end = 0;
    for (const span of report.spans) {
      expect(span.start).toBe(end);
      expect(span.end - span.start).toBe(span.text.length);
      expect(span.text).not.toBe('');
      end = span.end;
    }
    expect(end).toBe(prompt.text.length);
  });

  it('names file and lines for what stands in a file', async () => {
    const { report } = await scratch.compose();
    expect(
      report.spans.filter(({ origin }) => origin.kind === 'file').map(({ text, origin }) => [text, origin]),
    ).toEqual([
      ['# Rules\n\nBe kind.', { kind: 'file', path: scratch.path('AGENTS.md'), lines: [1, 3] }],
      ['Warm.', { kind: 'file', path: scratch.path('SOUL.md'), lines: [1, 1] }],
      ['None.', { kind: 'file', path: scratch.path('TOOLS.md'), lines: [1, 1] }],
      ['Ana likes tea.', { kind: 'file', path: scratch.path('MEMORY.md'), lines: [1, 1] }],
    ]);
  });

  it('carries along what was left out before it began', async () => {
    const absences = [{ what: 'handler x', reason: 'disabled', detail: 'switched off' }] as const;
    const { report } = await scratch.compose({ input: { absences } });
    expect(report.absences).toContainEqual(absences[0]);
  });

  it('does not change what it is given', async () => {
    const input = scratch.input({ input: { config: { a: { b: 1 } } } });
    const before = structuredClone({ policy: input.policy, situation: input.situation, config: input.config });
    scratch.on('vandal', (context) => {
      context.bootstrapFiles.length = 0;
      (context.cfg as { a: { b: number } }).a.b = 2;
    });
    await scratch.compose({ input });
    expect({ policy: input.policy, situation: input.situation, config: input.config }).toEqual(before);
  });
});

describe('the next composition', () => {
  it('says that nothing changed, when nothing did', async () => {
    const previous = await scratch.compose();
    const { report } = await scratch.compose({ previous });
    expect(report.change).toMatchObject({ changed: false, breaksCache: false });
  });

  it('says where the first change is and whose', async () => {
    const previous = await scratch.compose();
    await scratch.write('SOUL.md', 'Cool.\n');
    const { report, prompt } = await scratch.compose({ previous });
    expect(report.change).toMatchObject({
      changed: true,
      breaksCache: true,
      firstChangedChar: prompt.text.indexOf('Cool.'),
      origin: { kind: 'file', path: scratch.path('SOUL.md') },
    });
  });

  it('keeps the stable part when only a run’s text changes', async () => {
    let time = 'noon';
    scratch.on('clock', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', `It is ${time}.`), {
      stability: 'run',
    });
    const previous = await scratch.compose();
    time = 'late';
    const { report } = await scratch.compose({ previous });
    expect(report.change).toMatchObject({ changed: true, breaksCache: false });
    expect(report.prompt.stable.hash).toBe(previous.report.prompt.stable.hash);
  });

  it('names a handler that calls itself static and is not', async () => {
    let count = 0;
    scratch.on('liar', (context) => new BootstrapFileHelper(context).appendToFile('AGENTS.md', `${++count}`), {
      stability: 'static',
    });
    const previous = await scratch.compose();
    const { report } = await scratch.compose({ previous });
    expect(report.change?.brokenPromises).toEqual(['liar']);
  });
});

describe('what never becomes part of a prompt by itself', () => {
  it.each([OPENCLAW_TAXONOMY, OPENBOA_TAXONOMY])('is anything below a folder, in $id workspaces', async ({
    id,
    files,
  }) => {
    const secrets = [
      'memory/2026-05-06.md',
      'memory/MEMORY.md',
      '.learnings/ERRORS.md',
      'docs/AGENTS.md',
      'chat/AGENT.md',
    ];
    for (const path of secrets) await scratch.write(path, `NESTED ${path}`);
    for (const { name } of files) await scratch.write(name, `this is ${name}`);
    const { prompt, files: composed } = await scratch.compose({ taxonomy: id });
    expect(prompt.text).not.toContain('NESTED');
    for (const { path } of composed) expect(path).toBe(join(scratch.workspaceDir, path.split('/').at(-1) ?? ''));
  });

  it('is chat data, in any place of the workspace', async () => {
    const places = [
      'chat.jsonl',
      'chats/1.jsonl',
      '.openboa/chat/chats/1.jsonl',
      'sessions/main.jsonl',
      'AGENTS.jsonl',
    ];
    for (const path of places) await scratch.write(path, '{"role":"user","text":"CHAT DATA"}');
    for (const taxonomy of ['openclaw', 'openboa'] as const)
      expect((await scratch.compose({ taxonomy })).prompt.text).not.toContain('CHAT DATA');
  });
});

it('sees files come and go from one run to the next', async () => {
  await scratch.write('USER.md', 'Ana.');
  expect((await scratch.compose()).prompt.text).toContain('Ana.');
  await rm(scratch.path('USER.md'));
  const { prompt, report } = await scratch.compose();
  expect(prompt.text).not.toContain('## USER.md');
  expect(report.absences).toContainEqual(expect.objectContaining({ what: 'USER.md', reason: 'missing' }));
});
