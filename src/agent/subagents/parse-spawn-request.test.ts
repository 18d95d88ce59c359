// What the recorded cases of OpenClaw do not show about the parameters of sessions_spawn: defaults, and attached files.

import { describe, expect, it } from 'vitest';
import { parseSpawnRequest } from './parse-spawn-request.ts';

const requestOf = (params: Record<string, unknown>) => {
  const parsed = parseSpawnRequest({ task: 'Work.', ...params });
  if (parsed.kind !== 'request') throw new Error(parsed.error);
  return parsed.request;
};
const refusalOf = (params: Record<string, unknown>) => {
  const parsed = parseSpawnRequest({ task: 'Work.', ...params });
  return parsed.kind === 'request' ? undefined : parsed.error;
};
const file = (name: string, bytes: number) => ({ name, content: 'x'.repeat(bytes) });

describe('the parameters of sessions_spawn', () => {
  it('mean one isolated run that is kept, unless they say otherwise', () => {
    expect(requestOf({})).toMatchObject({ mode: 'run', context: 'isolated', cleanup: 'keep', thread: false });
    expect(requestOf({ thread: true })).toMatchObject({ mode: 'session', context: 'fork', isContextChosen: false });
    expect(requestOf({ thread: true, mode: 'run', context: 'isolated' })).toMatchObject({
      mode: 'run',
      context: 'isolated',
      isContextChosen: true,
    });
    expect(requestOf({ cleanup: 'delete' }).cleanup).toBe('delete');
    expect(requestOf({ cleanup: 'delete', thread: true }).cleanup).toBe('keep');
  });

  it('take the more exact time, and say which of them have no effect', () => {
    expect(requestOf({ timeoutSeconds: 5 }).runTimeoutSeconds).toBe(5);
    expect(requestOf({ timeoutSeconds: 5, runTimeoutSeconds: 0 }).runTimeoutSeconds).toBe(0);
    expect(requestOf({ thinking: 'high', lightContext: true }).unused).toEqual(['thinking', 'lightContext']);
    expect(requestOf({ lightContext: false }).unused).toEqual([]);
  });

  it('bound attached files, which are texts with plain names', () => {
    const MIB = 1_048_576;
    expect(requestOf({ attachments: [{ name: 'a.txt', content: 'aGk=', encoding: 'base64' }] }).attachments).toEqual([
      { name: 'a.txt', content: 'hi' },
    ]);
    const of = (attachments: unknown) => refusalOf({ attachments });
    expect(of([file('a', MIB)])).toBeUndefined();
    expect(of([file('a', MIB + 1)])).toContain('larger than 1 MiB');
    expect(of(['a', 'b', 'c', 'd', 'e'].map((name) => file(name, MIB)))).toBeUndefined();
    expect(of(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => file(name, MIB)))).toContain('larger than 5 MiB');
    expect(of(Array.from({ length: 51 }, (_, index) => file(`f${index}`, 1)))).toContain('At most 50');
    expect(of([file('a', 1), file('a', 1)])).toContain('Two attachments');
    expect(of([{ name: 'a', content: '/w==', encoding: 'base64' }])).toContain('is no text');
    for (const name of ['../a', 'a/b', 'a\\b', '..', 'a\0b']) expect(of([file(name, 1)])).toContain('plain file name');
    expect(of([{ name: 'a' }])).toContain('needs a name and a content');
    expect(of('a')).toContain('must be a list');
  });
});
