import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HandlerAbortError } from '../../hooks/errors.ts';
import type { AgentBootstrapHookContext, InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import type { WorkspaceBootstrapFile } from '../../protocol/bootstrap-file.ts';
import { workspaceForEachTest } from '../../testkit/for-each-test.ts';
import { BootstrapFileHelper } from '../bootstrap-file-helper.ts';
import type { Composition } from '../compose.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents', 'SOUL.md': 'soul', 'USER.md': 'user' });

const append =
  (text: string, name = 'AGENTS.md') =>
  (context: AgentBootstrapHookContext) =>
    new BootstrapFileHelper(context).appendToFile(name, text);
const contentOf = ({ files }: Composition, name = 'AGENTS.md') => files.find((file) => file.name === name)?.content;
const outcomes = ({ report }: Composition) => report.handlers.map(({ id, outcome }) => `${id}: ${outcome}`);

describe('what a handler gets', () => {
  async function eventOf(settings = {}): Promise<InternalHookEvent> {
    let seen: InternalHookEvent | undefined;
    scratch.register('spy', (event) => {
      seen = event;
    });
    await scratch.compose(settings);
    if (!seen) throw new Error('the handler was not called');
    return seen;
  }

  it('is an event of the bootstrap kind, with everything that is known about the run', async () => {
    const channel = { provider: 'discord', channelId: 'c1', channelName: 'general' };
    const at = new Date('2026-05-09T23:15:00Z');
    const settings = {
      sessionKey: 'agent:main:discord:direct:1',
      sessionId: 's-1',
      agentId: 'ana',
      channel,
      at,
      timezone: 'Asia/Tokyo',
      input: { config: { agents: { list: [{ id: 'ana' }] }, other: true } },
    };
    const event = await eventOf(settings);
    expect(event).toMatchObject({
      type: 'agent',
      action: 'bootstrap',
      sessionKey: 'agent:main:discord:direct:1',
      timestamp: at,
      messages: [],
      context: {
        workspaceDir: scratch.workspaceDir,
        sessionKey: 'agent:main:discord:direct:1',
        sessionId: 's-1',
        agentId: 'ana',
        sessionType: 'interactive',
        timeContext: { hour: 8, dayOfWeek: 0, isWeekend: true, timezone: 'Asia/Tokyo' },
        channelContext: channel,
        cfg: { agents: { list: [{ id: 'ana' }] }, other: true },
      },
    });
    expect(event.signal?.aborted).toBe(false);
  });

  it('has the configuration in it even when that holds what cannot be copied', async () => {
    const config = { agents: { list: [] }, callback: () => 'called', bytes: Uint8Array.of(1) };
    const { context } = await eventOf({ input: { config } });
    expect(context.cfg).toMatchObject({ agents: { list: [] } });
  });

  it('is silent about what is not known', async () => {
    const { context, sessionKey } = await eventOf({ agentId: undefined });
    expect(sessionKey).toBe('unknown');
    for (const field of ['cfg', 'sessionKey', 'sessionId', 'agentId', 'channelContext'])
      expect(context).not.toHaveProperty(field);
  });

  it('falls back to the session’s id for the key', async () => {
    expect((await eventOf({ sessionId: 's-1' })).sessionKey).toBe('s-1');
  });

  it('has missing files in it, as data', async () => {
    const files = (await eventOf()).context.bootstrapFiles as WorkspaceBootstrapFile[];
    expect(files.find(({ name }) => name === 'TOOLS.md')).toEqual({
      name: 'TOOLS.md',
      path: scratch.path('TOOLS.md'),
      missing: true,
    });
  });

  it('is its own: no other handler sees what it does to it, not even when it fails', async () => {
    const config = { agents: { list: [{ id: 'main' }] } };
    const seen: unknown[] = [];
    const vandalise: ((context: AgentBootstrapHookContext) => void)[] = [
      ({ timeContext }) => Object.assign(timeContext ?? {}, { hour: 3 }),
      ({ channelContext }) => Object.assign(channelContext ?? {}, { provider: 'elsewhere' }),
      ({ cfg }) => (cfg as typeof config).agents.list.pop(),
      (context) => Object.assign(context, { agentId: 'other', workspaceDir: '/elsewhere' }),
      () => {
        throw new Error('and gone');
      },
    ];
    vandalise.forEach((edit, index) => {
      scratch.on(`vandal ${index}`, edit, { priority: 1 });
    });
    scratch.on('next', (context) => {
      const { timeContext, channelContext, cfg, agentId, workspaceDir } = context;
      seen.push(timeContext?.hour, channelContext?.provider, cfg, agentId, workspaceDir);
    });
    await scratch.compose({ channel: { provider: 'slack' }, input: { config } });
    expect(seen).toEqual([10, 'slack', { agents: { list: [{ id: 'main' }] } }, 'main', scratch.workspaceDir]);
    expect(config.agents.list).toHaveLength(1);
  });
});

describe('handlers', () => {
  it('run lowest priority first, and in the order of their registration among equals', async () => {
    scratch.on('b', append('b'));
    scratch.on('c', append('c'));
    scratch.on('a', append('a'), { priority: 10 });
    scratch.on('d', append('d'), { priority: 200 });
    const composition = await scratch.compose();
    expect(contentOf(composition)?.split('\n\n---\n\n')).toEqual(['agents', 'a', 'b', 'c', 'd']);
    expect(outcomes(composition)).toEqual(['a: done', 'b: done', 'c: done', 'd: done']);
  });

  it('may edit in place, put in a new list, or work with copies', async () => {
    scratch.on('in place', ({ bootstrapFiles: [first] }) => {
      if (first) first.content = 'in place';
    });
    scratch.on('new list', (context) => {
      context.bootstrapFiles = context.bootstrapFiles.filter(({ name }) => name !== 'SOUL.md');
    });
    scratch.on('copies', (context) => {
      context.bootstrapFiles = context.bootstrapFiles.map((file) =>
        file.name === 'USER.md' ? { ...file, content: `${file.content}, copied` } : { ...file },
      );
    });
    scratch.register('new context', (event) => {
      const context = event.context as unknown as AgentBootstrapHookContext;
      const added = { name: 'NEW.md', path: 'NEW.md', content: 'new', missing: false };
      event.context = { ...context, bootstrapFiles: [...context.bootstrapFiles, added] };
    });
    const composition = await scratch.compose();
    expect(contentOf(composition)).toBe('in place');
    expect(contentOf(composition, 'SOUL.md')).toBeUndefined();
    expect(contentOf(composition, 'USER.md')).toBe('user, copied');
    expect(contentOf(composition, 'NEW.md')).toBe('new');
  });

  it('are told of what the one before them did', async () => {
    let seen: string | undefined;
    scratch.on('first', append('first'), { priority: 1 });
    scratch.on('second', (context) => {
      seen = new BootstrapFileHelper(context).getFileContent('AGENTS.md');
    });
    await scratch.compose();
    expect(seen).toBe('agents\n\n---\n\nfirst');
  });

  it('leave a diff each in the report', async () => {
    scratch.on('adds', append('more'), { priority: 1 });
    scratch.on('edits', ({ bootstrapFiles: [first] }) => {
      if (first?.content) first.content = first.content.replace('more', 'MORE');
    });
    scratch.on('removes', (context) => new BootstrapFileHelper(context).removeFile('SOUL.md'), { priority: 300 });
    const { report } = await scratch.compose();
    expect(report.handlers.map(({ id, changes }) => ({ id, changes }))).toEqual([
      { id: 'adds', changes: [{ file: 'AGENTS.md', change: 'appended', addedText: 'more', removedText: '' }] },
      { id: 'edits', changes: [{ file: 'AGENTS.md', change: 'edited', addedText: 'MORE', removedText: 'more' }] },
      { id: 'removes', changes: [{ file: 'SOUL.md', change: 'removed', addedText: '', removedText: 'soul' }] },
    ]);
    expect(report.absences).toContainEqual({
      what: 'SOUL.md',
      path: scratch.path('SOUL.md'),
      reason: 'removed-by-handler',
      detail: 'removed by removes',
      by: 'removes',
      text: 'soul',
    });
  });

  it('that rename a file leave a word about the old name', async () => {
    scratch.on('renames', ({ bootstrapFiles: [first] }) => {
      if (first) first.name = 'RULES.md';
    });
    const { report } = await scratch.compose();
    expect(report.absences).toContainEqual(
      expect.objectContaining({
        what: 'AGENTS.md',
        reason: 'removed-by-handler',
        detail: 'renamed to RULES.md by renames',
      }),
    );
  });
});

describe('a draft is dropped as a whole', () => {
  const spoil = (context: AgentBootstrapHookContext) => {
    append('spoilt')(context);
    new BootstrapFileHelper(context).removeFile('SOUL.md');
  };
  const bad: Record<string, [(context: AgentBootstrapHookContext, event: InternalHookEvent) => unknown, string]> = {
    'when its handler throws': [
      () => {
        throw new Error('boom');
      },
      'threw',
    ],
    'when its handler rejects': [() => Promise.reject(new Error('boom')), 'threw'],
    'when its handler never settles': [() => new Promise(() => {}), 'timed-out'],
    // biome-ignore lint/suspicious/noThenProperty: the point of the test
    'when its handler returns a thenable that never settles': [() => ({ then() {} }), 'timed-out'],
    'when the list is gone': [
      (context) => Object.assign(context, { bootstrapFiles: undefined }) && undefined,
      'invalid',
    ],
    'when the list is a text': [(context) => Object.assign(context, { bootstrapFiles: 'x' }) && undefined, 'invalid'],
    'when an entry is no object': [(context) => void context.bootstrapFiles.push(7 as never), 'invalid'],
    'when an entry is null': [(context) => void context.bootstrapFiles.push(null as never), 'invalid'],
    'when content is no text': [
      (context) => Object.assign(context.bootstrapFiles[0] ?? {}, { content: { a: 1 } }) && undefined,
      'invalid',
    ],
    'when the list has holes': [
      (context) => {
        context.bootstrapFiles.length = 50;
      },
      'invalid',
    ],
    'when the context is gone': [
      (_, event) => {
        event.context = null as never;
      },
      'invalid',
    ],
    'when an entry throws at every reader': [
      (context) => {
        Object.defineProperty(context.bootstrapFiles[0], 'content', {
          get() {
            throw new Error('do not look');
          },
        });
      },
      'threw',
    ],
    'when an entry is a proxy that throws': [
      (context) => {
        const entry = new Proxy({} as WorkspaceBootstrapFile, {
          get() {
            throw new Error('do not look');
          },
        });
        context.bootstrapFiles.push(entry);
      },
      'threw',
    ],
    'when the list is a revoked proxy': [
      (context) => {
        const { proxy, revoke } = Proxy.revocable([] as WorkspaceBootstrapFile[], {});
        context.bootstrapFiles = proxy;
        revoke();
      },
      'threw',
    ],
  };

  it.each(Object.entries(bad))('%s', async (_, [handler, outcome]) => {
    scratch.on('before', append('before'), { priority: 1 });
    const options = { priority: 2, timeoutMs: 30 };
    scratch.register(
      'bad',
      (event) => {
        const context = event.context as unknown as AgentBootstrapHookContext;
        spoil(context);
        return handler(context, event);
      },
      options,
    );
    scratch.on('after', append('after'), { priority: 3 });
    const composition = await scratch.compose();
    expect(contentOf(composition)).toBe('agents\n\n---\n\nbefore\n\n---\n\nafter');
    expect(contentOf(composition, 'SOUL.md')).toBe('soul');
    expect(outcomes(composition)).toEqual(['before: done', `bad: ${outcome}`, 'after: done']);
    const { report } = composition;
    expect(report.handlers[1]).toMatchObject({ error: expect.any(String), changes: [] });
    expect(report.absences.filter(({ by }) => by === 'bad')).toMatchObject([{ reason: 'handler-failed', what: 'bad' }]);
    expect(report.warnings.join('\n')).toContain('handler bad');
    expect(composition.prompt.text).not.toContain('spoilt');
  });

  it('but a proxy that behaves, and thenables that settle twice, are fine', async () => {
    scratch.on('proxy', (context) => {
      context.bootstrapFiles = context.bootstrapFiles.map((file) => new Proxy(file, {}));
      append('via proxy')(context);
    });
    scratch.on('twice', (context) => ({
      // biome-ignore lint/suspicious/noThenProperty: the point of the test
      then(resolve: () => void) {
        append('twice')(context);
        resolve();
        resolve();
      },
    }));
    const composition = await scratch.compose();
    expect(outcomes(composition)).toEqual(['proxy: done', 'twice: done']);
    expect(contentOf(composition)).toBe('agents\n\n---\n\nvia proxy\n\n---\n\ntwice');
  });

  it('fails the composition when the handler is set to abort', async () => {
    scratch.on('bad', () => Promise.reject(new Error('boom')), { onError: 'abort' });
    await expect(scratch.compose()).rejects.toThrow(HandlerAbortError);
  });
});

describe('a handler that is late', () => {
  it('changes nothing any more: no file, no report', async () => {
    let finished = false;
    scratch.on(
      'late',
      async (context) => {
        await sleep(20);
        append('late')(context);
        new BootstrapFileHelper(context).removeFile('SOUL.md');
        context.bootstrapFiles = [];
        finished = true;
      },
      { priority: 1, timeoutMs: 5 },
    );
    scratch.on('slow but in time', () => sleep(60), { priority: 2 });
    const composition = await scratch.compose();
    expect(finished).toBe(true);
    expect(contentOf(composition)).toBe('agents');
    expect(contentOf(composition, 'SOUL.md')).toBe('soul');
    expect(composition.report.handlers[0]).toMatchObject({ outcome: 'timed-out', changes: [] });
    expect(composition.report.absences.filter(({ reason }) => reason === 'removed-by-handler')).toEqual([]);
  });

  it('learns by its signal that it is too late', async () => {
    let aborted = false;
    scratch.register(
      'waits',
      (event) =>
        new Promise(() => {
          event.signal?.addEventListener('abort', () => {
            aborted = true;
          });
        }),
      { timeoutMs: 10 },
    );
    await scratch.compose();
    expect(aborted).toBe(true);
  });

  it('cannot write into what was adopted from it either', async () => {
    let kept: AgentBootstrapHookContext | undefined;
    scratch.on('keeps', (context) => {
      kept = context;
      append('in time')(context);
    });
    scratch.on('later', async () => {
      for (const file of kept?.bootstrapFiles ?? []) file.content = 'afterwards';
      kept?.bootstrapFiles.splice(0);
    });
    const composition = await scratch.compose();
    expect(contentOf(composition)).toBe('agents\n\n---\n\nin time');
    expect(contentOf(composition, 'SOUL.md')).toBe('soul');
  });
});

it('never shares a draft between two compositions at once', async () => {
  const contexts = new Set<unknown>();
  scratch.on('slow', async (context) => {
    contexts.add(context);
    for (const file of context.bootstrapFiles) contexts.add(file);
    append(`for ${context.sessionId}`)(context);
    await sleep(context.sessionId === 'a' ? 20 : 5);
    append(`still for ${context.sessionId}`)(context);
  });
  const ids = ['a', 'b', 'c'];
  const compositions = await Promise.all(ids.map((sessionId) => scratch.compose({ sessionId })));
  compositions.forEach((composition, index) => {
    const id = ids[index];
    expect(contentOf(composition)).toBe(`agents\n\n---\n\nfor ${id}\n\n---\n\nstill for ${id}`);
  });
  expect(contexts.size).toBe(3 * 8);
});

it('is not held up by a thenable that settles to itself', async () => {
  // biome-ignore lint/suspicious/noThenProperty: a thenable of this kind is what is tested.
  const endless = { then: (resolve: (value: unknown) => void) => resolve(endless) };
  scratch.register('endless', () => endless);
  const { report } = await scratch.compose();
  expect(report.handlers).toMatchObject([{ id: 'endless', outcome: 'done' }]);
});
