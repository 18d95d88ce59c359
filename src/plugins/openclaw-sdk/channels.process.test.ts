import { chmod, readdir, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { folderForTest } from '../../testkit/folder-for-test.ts';
import { addWildcardAllowFrom, isNormalizedSenderAllowed, resolveDirectDmAuthorizationOutcome } from './allow-list.ts';
import { fireAndForgetHook, sleep } from './async-work.ts';
import {
  resolveDefaultAgentId,
  resolveNativeCommandSessionTargets,
  resolveThreadSessionKeys,
} from './channel-route.ts';
import { extractToolSend, formatDocsLink, logTypingFailure, stripMarkdown } from './channel-texts.ts';
import { buildChannelConfigSchema } from './config-schema.ts';
import { withFileLock } from './file-lock.ts';
import { buildRandomTempFilePath } from './json-files.ts';
import {
  buildPendingHistoryContextFromMap,
  clearHistoryEntriesIfEnabled,
  type HistoryEntry,
  recordPendingHistoryEntryIfEnabled,
} from './reply-history.ts';
import { runFfmpeg, runFfprobe } from './run-command.ts';
import { SHARED_SYMBOLS } from './shared-symbols.ts';

let folder: string;
beforeEach(async () => {
  folder = await folderForTest();
});

describe('what only a running channel calls', () => {
  it('is there to be imported, and says that it is not available when it is called', async () => {
    const { createTypingCallbacks, resolveStorePath, resolveSenderCommandAuthorization, getGlobalHookRunner } =
      SHARED_SYMBOLS as Record<string, () => unknown>;
    expect(createTypingCallbacks).toThrow(
      'createTypingCallbacks serves channels of plugins, which are not used in Atrium.',
    );
    expect(resolveStorePath).toThrow('not used');
    await expect(resolveSenderCommandAuthorization?.()).rejects.toThrow('resolveSenderCommandAuthorization serves');
    expect(getGlobalHookRunner?.()).toBe(null);
  });
});

describe('the schema of a channel', () => {
  it('is JSON Schema, and checks values as the author wrote it', () => {
    const { schema, uiHints, runtime } = buildChannelConfigSchema(z.object({ token: z.string() }), {
      uiHints: { token: { sensitive: true } },
    });
    expect(schema).toMatchObject({ type: 'object', required: ['token'] });
    expect(uiHints).toEqual({ token: { sensitive: true } });
    expect([runtime.safeParse({ token: 'a' }).success, runtime.safeParse({}).success]).toEqual([true, false]);
  });
});

describe('messages of a group that nobody answered', () => {
  const entry = (body: string): HistoryEntry => ({ sender: 'ann', body });
  const formatEntry = ({ sender, body }: HistoryEntry) => `${sender}: ${body}`;

  it('are shown before the one that is answered, the newest few, until they are cleared', () => {
    const place = { historyMap: new Map<string, HistoryEntry[]>(), historyKey: 'g', limit: 2 };
    for (const body of ['one', 'two', 'three']) recordPendingHistoryEntryIfEnabled({ ...place, entry: entry(body) });
    const shown = buildPendingHistoryContextFromMap({ ...place, currentMessage: 'now', formatEntry });
    expect(shown.split('\n')).toEqual([
      expect.stringContaining('['),
      'ann: two',
      'ann: three',
      '',
      expect.stringContaining('['),
      'now',
    ]);
    clearHistoryEntriesIfEnabled(place);
    expect(buildPendingHistoryContextFromMap({ ...place, currentMessage: 'now', formatEntry })).toBe('now');
  });

  it('are not kept with a limit of zero, nor for more groups than a plugin can want', () => {
    const historyMap = new Map<string, HistoryEntry[]>([['off', [entry('old')]]]);
    const off = { historyMap, historyKey: 'off', limit: 0 };
    expect(recordPendingHistoryEntryIfEnabled({ ...off, entry: entry('new') })).toEqual([]);
    clearHistoryEntriesIfEnabled(off);
    expect(historyMap.get('off')).toHaveLength(1);
    expect(buildPendingHistoryContextFromMap({ ...off, currentMessage: 'now', formatEntry })).toBe('now');
    for (let group = 0; group < 1_005; group++) {
      recordPendingHistoryEntryIfEnabled({ historyMap, historyKey: `${group}`, limit: 1, entry: entry('x') });
    }
    expect([historyMap.size, historyMap.has('off'), historyMap.has('1004')]).toEqual([1_000, false, true]);
  });
});

describe('who may write', () => {
  it('is who is in the list, whatever the case, and nobody when it is empty', () => {
    const may = (senderId: string | number, allowFrom: (string | number)[], stripPrefixRe?: RegExp) =>
      isNormalizedSenderAllowed({ senderId, allowFrom, ...(stripPrefixRe && { stripPrefixRe }) });
    expect([may('Ann', [' ann ']), may(7, ['7']), may('bob', ['ann']), may('ann', []), may(' ', [' ', ''])]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([may('ann', ['Ding:Ann'], /^ding:/i), may('ann', ['ding:ann']), may('anyone', ['*'])]).toEqual([
      true,
      false,
      true,
    ]);
    expect(addWildcardAllowFrom([' ann ', 7, 'ann', ''])).toEqual(['ann', '7', '*']);
    expect([addWildcardAllowFrom(null), addWildcardAllowFrom(['*'])]).toEqual([['*'], ['*']]);
  });

  it('in a direct conversation, is decided by its policy first', () => {
    const outcome = (isGroup: boolean, dmPolicy: string, senderAllowedForCommands: boolean) =>
      resolveDirectDmAuthorizationOutcome({ isGroup, dmPolicy, senderAllowedForCommands });
    expect([
      outcome(false, 'disabled', true),
      outcome(false, 'open', false),
      outcome(false, 'pairing', true),
      outcome(true, 'disabled', false),
    ]).toEqual(['disabled', 'unauthorized', 'allowed', 'allowed']);
  });
});

describe('texts of a channel', () => {
  it('lose the marks of Markdown, and code stays as it is', () => {
    const written =
      '# Title\n\n> **Bold** and *soft* and __loud__ ~~gone~~\n\n---\n\nSee [here](https://a.example/x). `a*b*c` 2*3*4 snake_case_name\n```ts\nconst a = "**b**";\n```';
    expect(stripMarkdown(written)).toBe(
      'Title\n\nBold and soft and loud gone\n\nSee here. a*b*c 2*3*4 snake_case_name\nconst a = "**b**";',
    );
  });

  it('are read in reasonable time, however they are made', () => {
    for (const piece of ['**a ', '`', '```', '[', '![a](', '_a ', '* ', '- ', '\n']) {
      expect(stripMarkdown(piece.repeat(50_000)).length).toBeLessThanOrEqual(piece.length * 50_000);
    }
  });

  it('lead to the documentation that the author meant', () => {
    expect(formatDocsLink('/channels/fax', 'fax')).toBe('fax (https://docs.openclaw.ai/channels/fax)');
    expect(formatDocsLink('https://fax.example/docs')).toBe('https://fax.example/docs');
    expect(formatDocsLink('channels/fax', undefined, { fallback: 'see the manual' })).toBe('see the manual');
  });

  it('say where a call of a tool wants to send something', () => {
    expect(extractToolSend({ action: ' sendMessage ', to: 'ann', accountId: ' a ', threadId: 4 })).toEqual({
      to: 'ann',
      accountId: 'a',
      threadId: '4',
    });
    expect([extractToolSend({ action: 'react', to: 'ann' }), extractToolSend({ action: 'sendMessage' })]).toEqual([
      null,
      null,
    ]);
  });

  it('tell of what failed while nobody waited', async () => {
    const said: string[] = [];
    fireAndForgetHook(Promise.reject(new Error('no line')), 'after sending', (text) => said.push(text));
    logTypingFailure({ log: (text) => said.push(text), channel: 'fax', target: 'ann', error: new Error('busy') });
    await sleep(0);
    expect(said.sort()).toEqual([
      'after sending: no line',
      'fax: showing that an answer is written to ann did not start: busy',
    ]);
  });
});

describe('sessions of a channel', () => {
  it('are of the default agent, of a thread, or of a command', () => {
    expect([
      resolveDefaultAgentId({}),
      resolveDefaultAgentId({ agents: { list: [{ id: 'one' }, { id: 'Two', default: true }] } }),
      resolveDefaultAgentId({ agents: { list: [{ id: 'one' }] } }),
    ]).toEqual(['main', 'two', 'one']);
    const thread = { baseSessionKey: 'agent:main:fax:group:g', threadId: 'T1', parentSessionKey: 'p' };
    expect(resolveThreadSessionKeys(thread)).toEqual({
      sessionKey: 'agent:main:fax:group:g:thread:t1',
      parentSessionKey: 'p',
    });
    expect(resolveThreadSessionKeys({ ...thread, useSuffix: false }).sessionKey).toBe('agent:main:fax:group:g');
    expect(resolveThreadSessionKeys({ ...thread, threadId: ' ' })).toEqual({
      sessionKey: 'agent:main:fax:group:g',
      parentSessionKey: undefined,
    });
    const command = { agentId: 'main', sessionPrefix: 'fax:slash', userId: 'Ann', targetSessionKey: 'agent:main:main' };
    expect(resolveNativeCommandSessionTargets({ ...command, lowercaseSessionKey: true })).toEqual({
      sessionKey: 'agent:main:fax:slash:ann',
      commandTargetSessionKey: 'agent:main:main',
    });
    expect(resolveNativeCommandSessionTargets({ ...command, boundSessionKey: 'b' })).toEqual({
      sessionKey: 'b',
      commandTargetSessionKey: 'b',
    });
  });
});

describe('files of a channel', () => {
  const quick = { retries: { retries: 2, factor: 1, minTimeout: 5, maxTimeout: 5 }, stale: 10_000 };

  it('that pass have names that lead nowhere else', () => {
    expect(
      buildRandomTempFilePath({ prefix: '../../voice', extension: '.m/4a', tmpDir: '/t', now: 5.5, uuid: 'u' }),
    ).toBe('/t/voice-5-u.m-4a');
    expect(buildRandomTempFilePath({ prefix: '..' })).not.toBe(buildRandomTempFilePath({ prefix: '..' }));
  });

  it('are worked on by one at a time, and by the one that has the lock already', async () => {
    const path = join(folder, 'deep', 'list.json');
    const seen: string[] = [];
    const work = (name: string) =>
      withFileLock(path, quick, async () => {
        seen.push(`${name} begins`);
        await sleep(5);
        await withFileLock(path, quick, async () => void seen.push(`${name} inside`));
        seen.push(`${name} ends`);
      });
    await Promise.all([work('a'), work('b')]);
    expect(seen).toEqual(['a begins', 'a inside', 'a ends', 'b begins', 'b inside', 'b ends']);
    expect(await readdir(join(folder, 'deep'))).toEqual([]);
  });

  it('are free again after work that failed', async () => {
    const path = join(folder, 'list.json');
    await expect(withFileLock(path, quick, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withFileLock(path, quick, async () => 'done')).toBe('done');
  });

  it('are not touched while somebody else has the lock, unless it was left behind', async () => {
    const path = join(folder, 'list.json');
    const lockPath = `${path}.lock`;
    await writeFile(lockPath, 'somebody else');
    await expect(withFileLock(path, quick, async () => 'done')).rejects.toMatchObject({
      code: 'file_lock_timeout',
      lockPath,
    });
    expect(await readdir(folder)).toEqual(['list.json.lock']);
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lockPath, longAgo, longAgo);
    expect(await withFileLock(path, quick, async () => 'done')).toBe('done');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('programs for media', () => {
  const givenPath = process.env.PATH;
  afterEach(() => {
    process.env.PATH = givenPath;
  });

  it('give what they say, or say why not', async () => {
    await writeFile(join(folder, 'ffprobe'), '#!/bin/sh\nread line\necho "$1 $line"\n');
    await writeFile(join(folder, 'ffmpeg'), '#!/bin/sh\necho "no such codec" >&2\nexit 3\n');
    await Promise.all(['ffprobe', 'ffmpeg'].map((name) => chmod(join(folder, name), 0o700)));
    process.env.PATH = `${folder}${delimiter}${givenPath}`;
    expect(await runFfprobe(['-v'], { input: Buffer.from('bytes\n') })).toBe('-v bytes\n');
    await expect(runFfmpeg([])).rejects.toThrow('ffmpeg ended with 3: no such codec');
    process.env.PATH = join(folder, 'nothing');
    await expect(runFfmpeg([])).rejects.toThrow('ENOENT');
  });
});
