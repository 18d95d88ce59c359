import { describe, expect, it } from 'vitest';
import { HOOK_CATALOG, type HookRow } from '../hooks/catalog.ts';
import type { LiveEventType } from '../protocol/live-event.ts';
import type { RecordedFactType } from '../protocol/recorded-fact.ts';
import { COMMIT_SITES } from '../store/commit-sites.ts';
import { FACT_CATALOG, type FactRow } from './catalog.ts';

const rows = Object.entries<FactRow<never>>(FACT_CATALOG);
const named = (of: (row: FactRow<never>) => readonly (string | undefined)[]) =>
  new Set(rows.flatMap(([, row]) => of(row)).filter((name) => name !== undefined));

describe('the fact catalog', () => {
  it('tells every observer and every event of hook packs of something', () => {
    const told = named(({ hook, pack }) => [hook?.name, ...(pack?.names ?? [])]);
    const untold = Object.entries<HookRow>(HOOK_CATALOG)
      .filter(([, { kind, audience }]) => kind === 'observe' || audience === 'packs')
      .filter(([hook]) => !told.has(hook));
    expect(untold.map(([hook]) => hook)).toEqual([]);
  });

  it('shows every live frame and writes every record', () => {
    const frames: Record<LiveEventType, true> = {
      'message-accepted': true,
      'run-start': true,
      'text-delta': true,
      'thought-delta': true,
      'text-reset': true,
      'tool-start': true,
      'tool-end': true,
      'approval-start': true,
      'approval-end': true,
      'wait-start': true,
      'wait-end': true,
      'child-start': true,
      'child-end': true,
      'limit-near': true,
      'run-end': true,
      'delivery-end': true,
      'session-end': true,
      'session-change': true,
    };
    const records: Record<RecordedFactType, true> = {
      'session.started': true,
      'context.compiled': true,
      'gate.passed': true,
      'prompt.skipped': true,
      'prompt.submitted': true,
      'model.delta': true,
      'model.completed': true,
      'tool.started': true,
      'tool.ended': true,
      'hook.called': true,
      'delivery.ended': true,
      'trace.artifacts': true,
      'session.ended': true,
    };
    expect(named(({ live }) => [live?.type])).toEqual(new Set(Object.keys(frames)));
    expect(named(({ record }) => [record?.type])).toEqual(new Set(Object.keys(records)));
  });

  it('names only commits that there are, and has no row that becomes nothing', () => {
    const sites = named(({ when }) => [...(when.after ?? []), ...(when.before ?? [])]);
    expect([...sites].filter((site) => !COMMIT_SITES.some((known) => known === site))).toEqual([]);
    expect(rows.filter(([, { hook, pack, live, record }]) => !(hook || pack || live || record))).toEqual([]);
  });

  it('keeps what packs say only where the catalog of hooks lets them say something', () => {
    for (const [fact, { pack }] of rows) {
      const saying = (pack?.names ?? []).filter((name) => 'messages' in HOOK_CATALOG[name].combine);
      expect(saying.length > 0, fact).toBe(pack?.says !== undefined);
    }
  });
});
