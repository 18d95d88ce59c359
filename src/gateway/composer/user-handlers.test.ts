import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readEnvironment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { HANDLERS_IN_THIS_THREAD } from '../../testkit/handlers-in-this-thread.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import { ContextEngine } from './context-engine.ts';
import { loadUserHandlers } from './user-handlers.ts';

let home: ScratchHome;
beforeEach(async () => {
  home = await ScratchHome.create({ 'workspace/AGENTS.md': 'Be kind.', 'workspace/TOOLS.md': 'None.' });
});
afterEach(() => home.remove());

function environment() {
  return readEnvironment({ HOME: home.home, TZ: 'UTC' }, () => home.home, home.home);
}

function load(config: Config = {}) {
  return loadUserHandlers({
    config,
    configDir: home.stateDir,
    environment: environment(),
    workspaceDir: home.path('workspace'),
    handlers: HANDLERS_IN_THIS_THREAD,
  });
}

const APPENDS = `export default (event) => { event.context.bootstrapFiles[0].content += ' Once.'; }`;

describe('a hook pack', () => {
  it('is registered once, also when two of its events mean composition', async () => {
    await home.writePack('hooks/both', { events: ['agent', 'agent:bootstrap'] }, APPENDS);
    const { registrations } = await load();
    expect(registrations.map(({ id }) => id)).toEqual(['hook:both']);
    const engine = new ContextEngine({ environment: environment(), config: {}, handlers: HANDLERS_IN_THIS_THREAD });
    const { files } = await engine.compose({ at: new Date(0) });
    expect(files[0]?.content).toBe('Be kind. Once.');
  });

  it('that listens to other events has no part in composing', async () => {
    await home.writePack('hooks/other', { events: ['command:new'] });
    const { registrations, packs } = await load();
    expect(registrations).toEqual([]);
    expect(packs.filter(({ pack }) => pack.source !== 'openclaw-bundled')).toMatchObject([{ kind: 'loaded' }]);
  });

  it('that is there twice counts once, and the other is named', async () => {
    await home.writePack('hooks/twin', { events: ['agent:bootstrap'] });
    await home.writePack('workspace/hooks/twin', { events: ['agent:bootstrap'] });
    const { registrations, problems, absences } = await load();
    expect(registrations).toHaveLength(1);
    expect(problems).toEqual([
      `The hook "twin" is there twice: ${home.path('hooks/twin')} counts, ${home.path('workspace/hooks/twin')} is ignored. Rename or remove one of them.`,
    ]);
    expect(absences).toMatchObject([{ what: 'hook twin', path: home.path('workspace/hooks/twin/HOOK.md') }]);
  });

  it('with misspelt metadata is named with its file', async () => {
    await home.writePack('hooks/typo', { events: ['agent:bootstrap'], prioritty: 1, onError: 'explode' });
    const { problems } = await load();
    const file = home.path('hooks/typo/HOOK.md');
    expect(problems).toEqual([
      `${file}: unknown field "prioritty"; did you mean "priority"?`,
      `${file}: "onError" must be one of skip, abort, found "explode"; the default applies.`,
    ]);
  });

  it('is absent with the reason when all packs are switched off, and its code is not run', async () => {
    await home.writePack(
      'hooks/mine',
      { events: ['agent:bootstrap'] },
      'globalThis.ran = true; export default () => {}',
    );
    const { registrations, absences } = await load({ hooks: { internal: { enabled: false } } });
    expect(registrations).toEqual([]);
    expect(absences).toMatchObject([
      { what: 'hook mine', reason: 'disabled', detail: 'hooks.internal.enabled is false' },
    ]);
    expect(globalThis).not.toHaveProperty('ran');
  });
});

describe('a handler that the configuration names', () => {
  it('is no problem when it is switched off, and one when it cannot be loaded', async () => {
    const { problems, absences } = await load({
      bootstrap: {
        handlers: [
          { id: 'off', path: './gone.js', enabled: false },
          { id: 'gone', path: './gone.js' },
        ],
      },
    });
    expect(absences.map(({ what, reason }) => [what, reason])).toEqual([
      ['handler off', 'disabled'],
      ['handler gone', 'handler-failed'],
    ]);
    expect(problems).toMatchObject([expect.stringContaining('the file is not there')]);
  });
});
