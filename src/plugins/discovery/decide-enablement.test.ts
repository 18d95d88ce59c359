import { expect, it } from 'vitest';
import type { PluginSettings } from '../../protocol/plugin-settings.ts';
import { pluginEntry, pluginSettings } from '../fixtures/scratch-home-plugins.ts';
import { decideEnablement, type EnablementCase } from './decide-enablement.ts';

const on = pluginEntry({ enabled: true });
const off = pluginEntry({ enabled: false });
const memory = { kind: ['memory'], enabledByDefault: false };

/** `guard` from the state directory, unless the row says otherwise. */
const ROWS: readonly [
  what: string,
  settings: Partial<PluginSettings>,
  plugin: Partial<EnablementCase>,
  enabled: boolean,
  reason: RegExp,
][] = [
  ['what lies in the state directory loads', {}, {}, true, /folder for extensions/],
  ['what a path names loads', {}, { origin: 'config' }, true, /plugins\.load\.paths/],
  ['what is installed loads', {}, { origin: 'installed' }, true, /installed/],
  ['nothing loads when all is off', { enabled: false, entries: { guard: on } }, {}, false, /plugins\.enabled is false/],
  ['a denied one never loads', { deny: ['guard'], entries: { guard: on } }, {}, false, /plugins\.deny names it/],
  ['one that is switched off does not', { entries: { guard: off } }, {}, false, /atrium plugins enable guard/],
  ['a list of allowed ones keeps others out', { allow: ['x'] }, {}, false, /plugins\.allow .* not this one/],
  ['an allowed one loads', { allow: ['guard'] }, {}, true, /plugins\.allow names it/],
  ['allowed and off is off', { allow: ['guard'], entries: { guard: off } }, {}, false, /is false/],
  ['nothing loads from a workspace', {}, { origin: 'workspace' }, false, /lies in the workspace/],
  ['not even when allowed', { allow: ['guard'] }, { origin: 'workspace' }, false, /lies in the workspace/],
  ['unless it is asked for', { entries: { guard: on } }, { origin: 'workspace' }, true, /enabled is true/],
  ['a bundled one waits to be asked for', {}, { origin: 'bundled' }, false, /off until/],
  [
    'or is on by default',
    {},
    { origin: 'bundled', manifest: { kind: [], enabledByDefault: true } },
    true,
    /on by default/,
  ],
  ['a memory waits to be chosen', {}, { manifest: memory }, false, /plugins\.slots\.memory names none/],
  ['even when it is on', { entries: { guard: on } }, { manifest: memory }, false, /Write "guard" there/],
  ['it may be that there shall be none', { slots: { memory: null } }, { manifest: memory }, false, /is "none"/],
  ['or another', { slots: { memory: 'x' } }, { manifest: memory }, false, /names "x"/],
  ['the chosen one loads', { slots: { memory: 'guard' } }, { manifest: memory }, true, /slots\.memory names it/],
  ['but not when denied', { slots: { memory: 'guard' }, deny: ['guard'] }, { manifest: memory }, false, /deny/],
  [
    'one that is more than a memory loads without being it',
    {},
    { manifest: { kind: ['memory', 'tool'], enabledByDefault: false } },
    true,
    /extensions/,
  ],
];

it.each(ROWS)('%s', (_, settings, plugin, enabled, reason) => {
  const manifest = { kind: [], enabledByDefault: false };
  const decided = decideEnablement(
    { id: 'guard', origin: 'extensions', manifest, ...plugin },
    pluginSettings(settings),
  );
  expect(decided).toMatchObject({ enabled, reason: expect.stringMatching(reason) });
  expect(decided.holdsMemorySlot).toBe(enabled && settings.slots?.memory === 'guard');
});

it('an id may be a word that every object knows', () => {
  const manifest = { kind: [], enabledByDefault: false };
  for (const id of ['constructor', 'toString', '__proto__']) {
    const { enabled } = decideEnablement({ id, origin: 'workspace', manifest }, pluginSettings());
    expect(enabled).toBe(false);
  }
});
