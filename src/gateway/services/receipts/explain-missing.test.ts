import { expect, it } from 'vitest';
import { explainMissing, type KnownFrom } from './explain-missing.ts';
import type { PromptSources } from './prompt-sources.ts';

const AGENTS = { name: 'AGENTS.md', path: '/w/AGENTS.md' };
const none: PromptSources = { files: [], cuts: [], absences: [], handlers: [] };
const fromFile: KnownFrom = { files: new Map([['h1', [[5, 6]]]]), paths: new Set(['/w/AGENTS.md']), places: [] };
const from = (
  kind: KnownFrom['places'][number]['kind'],
  name: string,
  where: 'system' | 'tools' | 'messages',
): KnownFrom => ({
  files: new Map(),
  paths: new Set(),
  places: [{ kind, name, where }],
});
const had = { ...none, files: [{ ...AGENTS, hash: 'h1' }] };

it.each<[string, PromptSources, KnownFrom, object]>([
  [
    'a cut went through its lines',
    { ...had, cuts: [{ path: AGENTS.path, lines: [6, 40], detail: 'cut' }] },
    fromFile,
    { reason: 'over-budget', lines: [5, 6], hash: 'h1', detail: 'cut' },
  ],
  [
    'a cut is elsewhere, and a handler changed the file',
    {
      ...had,
      cuts: [{ path: AGENTS.path, lines: [7, 40], detail: 'cut' }],
      handlers: [{ id: 'tidy', outcome: 'done', removedFrom: ['AGENTS.md'] }],
    },
    fromFile,
    { reason: 'removed-by-handler', by: 'tidy', lines: [5, 6] },
  ],
  ['nothing says why', had, fromFile, { reason: 'not-in-prompt', hash: 'h1' }],
  [
    'the whole file was left out',
    { ...had, absences: [{ what: 'AGENTS.md', path: AGENTS.path, reason: 'filtered-session', detail: 'a subagent' }] },
    fromFile,
    { reason: 'filtered-session', hash: 'h1', lines: [5, 6], detail: 'a subagent' },
  ],
  [
    'the file had other words',
    { ...none, files: [{ ...AGENTS, hash: 'h2' }] },
    fromFile,
    { reason: 'not-in-file', hash: 'h2' },
  ],
  [
    'the same file of another workspace had other words',
    { ...none, files: [{ name: 'AGENTS.md', path: '/other/AGENTS.md', hash: 'h3' }] },
    fromFile,
    { reason: 'not-in-file', path: '/other/AGENTS.md', hash: 'h3' },
  ],
  [
    'the file could not be read',
    {
      ...none,
      files: [AGENTS],
      absences: [{ what: 'AGENTS.md', path: AGENTS.path, reason: 'unreadable', detail: 'EACCES' }],
    },
    fromFile,
    { reason: 'unreadable', detail: 'EACCES' },
  ],
  ['the file was not there', { ...none, files: [AGENTS] }, fromFile, { reason: 'missing' }],
  ['no such file was read', none, fromFile, { reason: 'not-read', path: AGENTS.path }],
  [
    'a handler failed',
    { ...none, handlers: [{ id: 'clock', outcome: 'timed-out', removedFrom: [] }] },
    from('handler', 'clock', 'system'),
    { reason: 'handler-failed', by: 'clock', detail: 'clock ended with timed-out' },
  ],
  [
    'a handler wrote something else',
    { ...none, handlers: [{ id: 'clock', outcome: 'done', removedFrom: [] }] },
    from('handler', 'clock', 'system'),
    { reason: 'other-words', what: 'clock' },
  ],
  ['a handler was not there', none, from('handler', 'clock', 'system'), { reason: 'not-there', what: 'clock' }],
  [
    'a plugin wrote something else',
    none,
    from('plugin', 'framer', 'system'),
    { reason: 'other-words', what: 'framer' },
  ],
  ['a tool was not offered', none, from('tool', 'read', 'tools'), { reason: 'not-offered', what: 'read' }],
  ['it was not said', none, from('conversation', 'message', 'messages'), { reason: 'not-said' }],
  ['nobody knows it', none, { files: new Map(), paths: new Set(), places: [] }, { reason: 'not-known' }],
])('says that %s', (_, sources, known, missing) => {
  expect(explainMissing(sources, known)).toMatchObject(missing);
});
