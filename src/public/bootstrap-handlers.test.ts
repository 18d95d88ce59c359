import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { workspaceForEachTest } from '../testkit/for-each-test.ts';
import {
  applyBootstrapHookOverrides,
  BootstrapFileHelper,
  type BootstrapHookRegistration,
  compose,
  type InternalHookEvent,
  isAgentBootstrapEvent,
  listBootstrapHandlers,
  registerBootstrapHandler,
  unregisterBootstrapHandler,
} from './context.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'agents' });
beforeEach(async () => {
  vi.stubEnv('HOME', scratch.root);
  vi.stubEnv('CI', undefined);
});
afterEach(async () => {
  for (const { id } of listBootstrapHandlers()) unregisterBootstrapHandler(id);
  vi.unstubAllEnvs();
});

const nothing = () => {};
const append = (text: string) => (event: InternalHookEvent) => {
  if (isAgentBootstrapEvent(event)) new BootstrapFileHelper(event.context).appendToFile('AGENTS.md', text);
};
/** Those of this program. */
const own = () => listBootstrapHandlers().filter(({ owner }) => owner === 'program');
const ids = () => own().map(({ id }) => id);
const composeScratch = (options = {}) => compose({ workspaceDir: scratch.workspaceDir, config: {}, ...options });

describe('registering a bootstrap handler', () => {
  it('returns its undo', () => {
    const undo = registerBootstrapHandler({ id: 'a', handler: nothing });
    expect(ids()).toEqual(['a']);
    undo();
    expect(ids()).toEqual([]);
    expect(undo).not.toThrow();
  });

  it('is refused when the id is taken, and possible again once it is free', () => {
    registerBootstrapHandler({ id: 'a', handler: nothing });
    expect(() => registerBootstrapHandler({ id: 'a', handler: nothing })).toThrow(
      expect.objectContaining({ code: 'ATRIUM_HOOK_DUPLICATE' }),
    );
    unregisterBootstrapHandler('a');
    expect(() => registerBootstrapHandler({ id: 'a', handler: nothing })).not.toThrow();
  });

  it('lists handlers in calling order, with the defaults filled in', () => {
    const add = (registration: Omit<BootstrapHookRegistration, 'handler'>) =>
      registerBootstrapHandler({ handler: nothing, ...registration });
    add({ id: 'late', priority: 200, description: 'the last word', stability: 'run', onError: 'abort', timeoutMs: 10 });
    add({ id: 'default' });
    add({ id: 'early', priority: 10 });
    add({ id: 'default too' });
    const common = { handler: nothing, owner: 'program', enabled: true, onError: 'skip', timeoutMs: 5_000 };
    expect(own()).toEqual([
      { ...common, id: 'early', priority: 10 },
      { ...common, id: 'default', priority: 100 },
      { ...common, id: 'default too', priority: 100 },
      {
        ...common,
        id: 'late',
        priority: 200,
        description: 'the last word',
        stability: 'run',
        onError: 'abort',
        timeoutMs: 10,
      },
    ]);
  });

  it('lists the bundled ones too, where they are called, and says which are off by default', () => {
    registerBootstrapHandler({ id: 'mine', handler: nothing, priority: 150 });
    const listed = listBootstrapHandlers();
    expect(listed.map(({ id, priority, owner, enabled }) => [id, priority, owner, enabled])).toEqual([
      ['global-files', 10, 'atrium', true],
      ['agent-overrides', 50, 'atrium', true],
      ['time-context', 100, 'atrium', false],
      ['mine', 150, 'program', true],
      ['bootstrap-extra-files', 150, 'atrium', false],
      ['ci-mode', 200, 'atrium', true],
    ]);
    for (const { id, handler, description } of listed.filter(({ owner }) => owner === 'atrium')) {
      expect([typeof handler, typeof description], id).toEqual(['function', 'string']);
      unregisterBootstrapHandler(id);
    }
    // What comes along is switched in the configuration.
    expect(listBootstrapHandlers().map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
  });

  it('gives out a list whose change registers nothing', () => {
    registerBootstrapHandler({ id: 'a', handler: nothing });
    listBootstrapHandlers().pop();
    expect(ids()).toEqual(['a']);
  });

  it('can be taken back by id; an unknown id is ignored', () => {
    registerBootstrapHandler({ id: 'a', handler: nothing });
    unregisterBootstrapHandler('b');
    unregisterBootstrapHandler('a');
    expect(ids()).toEqual([]);
  });
});

describe('registered handlers', () => {
  it('take part in composing, between the bundled ones, from the next composition on', async () => {
    const undo = registerBootstrapHandler({ id: 'a', handler: append('from a program'), priority: 150 });
    await scratch.write('../.openclaw/AGENTS.md', 'global');
    const { files, report } = await composeScratch();
    expect(files[0]?.content).toBe('global\n\n---\n\nagents\n\n---\n\nfrom a program');
    expect(report.handlers.map(({ id }) => id)).toEqual(['global-files', 'agent-overrides', 'a', 'ci-mode']);
    undo();
    expect((await composeScratch()).files[0]?.content).toBe('global\n\n---\n\nagents');
  });

  it('that fail are dropped and reported; set to abort, they fail the composition', async () => {
    const boom = () => Promise.reject(new Error('boom'));
    const undo = registerBootstrapHandler({ id: 'a', handler: boom });
    const { report } = await composeScratch();
    expect(report.handlers.find(({ id }) => id === 'a')).toMatchObject({ outcome: 'threw', error: 'boom' });
    undo();
    registerBootstrapHandler({ id: 'a', handler: boom, onError: 'abort' });
    await expect(composeScratch()).rejects.toMatchObject({ code: 'ATRIUM_HOOK_ABORTED', id: 'a' });
  });

  it('cannot take the id of a bundled one, also of one that is off', () => {
    for (const id of ['ci-mode', 'time-context', 'bootstrap-extra-files']) {
      expect(() => registerBootstrapHandler({ id, handler: nothing }), id).toThrow(
        expect.objectContaining({
          code: 'ATRIUM_HOOK_DUPLICATE',
          message: expect.stringContaining('comes with Atrium'),
        }),
      );
    }
  });

  it('cannot take it from the configuration either, and the report says so', async () => {
    const path = await scratch.writeOutside('mine.js', 'export default () => {};');
    const handlers = [{ id: 'time-context', path, isolation: 'inline' as const }];
    const { report } = await composeScratch({ config: { bootstrap: { handlers } } });
    expect(report.handlers.map(({ id }) => id)).not.toContain('time-context');
    expect(report.absences).toContainEqual({
      what: 'handler time-context',
      reason: 'handler-failed',
      detail: expect.stringContaining('comes with Atrium'),
    });
  });

  it.each([
    { id: ' ', handler: nothing },
    { id: 'a', handler: 5 as never },
    { id: 'a', handler: nothing, priority: Number.NaN },
    { id: 'a', handler: nothing, timeoutMs: 0 },
  ])('that are not usable are refused at once: %j', (registration) => {
    expect(() => registerBootstrapHandler(registration)).toThrowError(/cannot be registered/);
  });

  it('can be run over a list of files', async () => {
    registerBootstrapHandler({ id: 'a', handler: append('more') });
    const files = [{ name: 'AGENTS.md', path: '/w/AGENTS.md', content: 'agents', missing: false }];
    expect(await applyBootstrapHookOverrides({ files, workspaceDir: '/w' })).toEqual([
      { name: 'AGENTS.md', path: '/w/AGENTS.md', content: 'agents\n\n---\n\nmore', missing: false },
    ]);
    expect(files[0]?.content).toBe('agents');
  });

  it('get the time that is handed in, and the present otherwise', async () => {
    const hours: (number | undefined)[] = [];
    registerBootstrapHandler({
      id: 'clock',
      handler: (event) => {
        if (isAgentBootstrapEvent(event)) hours.push(event.context.timeContext?.hour);
      },
    });
    const overrides = { files: [], workspaceDir: '/w' };
    await applyBootstrapHookOverrides({ ...overrides, at: new Date('2026-05-06T23:00:00Z'), timezone: 'Asia/Tokyo' });
    await applyBootstrapHookOverrides(overrides);
    expect(hours).toEqual([8, new Date().getHours()]);
  });
});

describe('isAgentBootstrapEvent', () => {
  const event = (changes: object): InternalHookEvent => ({
    type: 'agent',
    action: 'bootstrap',
    sessionKey: 'x',
    context: { workspaceDir: '/w', bootstrapFiles: [] },
    timestamp: new Date(),
    messages: [],
    ...changes,
  });

  it('knows the event of a bootstrap from every other', () => {
    expect(isAgentBootstrapEvent(event({}))).toBe(true);
    for (const other of [
      { type: 'command' },
      { action: 'start' },
      { context: {} },
      { context: null },
      { context: { workspaceDir: '/w' } },
      { context: { workspaceDir: 1, bootstrapFiles: [] } },
      { context: { workspaceDir: '/w', bootstrapFiles: {} } },
    ])
      expect(isAgentBootstrapEvent(event(other))).toBe(false);
  });
});
