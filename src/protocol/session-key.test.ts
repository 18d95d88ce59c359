import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyString } from '../testkit/any-string.ts';
import { forAll } from '../testkit/for-all.ts';
import {
  classifySessionKeyShape,
  isAcpSessionKey,
  isCronRunSessionKey,
  isCronSessionKey,
  isHeartbeatSessionKey,
  isSharedSurfaceSessionKey,
  isSubagentSessionKey,
  normalizeSessionKey,
  parseAgentSessionKey,
  parseConversationRef,
  parseSessionKey,
  parseThreadSuffix,
  promptModeOfSessionKey,
  resolveAgentIdFromSessionKey,
  subagentDepthOfSessionKey,
  surfaceOfSessionKey,
  toAgentRequestSessionKey,
} from './session-key.ts';

describe('reading a session key', () => {
  it('gives the agent and the rest, in lower case and without empty parts', () => {
    expect(parseAgentSessionKey(' Agent:Work::MAIN: ')).toEqual({ agentId: 'work', rest: 'main' });
    expect(parseAgentSessionKey('agent:main:subagent:')).toEqual({ agentId: 'main', rest: 'subagent' });
  });

  it('finds no agent in keys that name none', () => {
    for (const key of [undefined, null, '', 'agent:', 'agent:main', 'global', 'subagent:x', 'agent: :main']) {
      expect(parseAgentSessionKey(key)).toBeUndefined();
    }
    expect(resolveAgentIdFromSessionKey('global')).toBe('main');
    expect(resolveAgentIdFromSessionKey('agent:Work Bot:main')).toBe('work-bot');
  });

  it('tells the shapes of keys apart', () => {
    expect(classifySessionKeyShape('  ')).toBe('missing');
    expect(classifySessionKeyShape('agent:main:main')).toBe('agent');
    expect(classifySessionKeyShape('Agent:main')).toBe('malformed_agent');
    expect(classifySessionKeyShape('discord:channel:1')).toBe('legacy_or_alias');
  });

  it('keeps the case of a Signal group id and of nothing else', () => {
    expect(normalizeSessionKey('Agent:MAIN:Signal:Group:AbC=:thread:DeF')).toBe(
      'agent:main:signal:group:AbC=:thread:def',
    );
    expect(normalizeSessionKey('signal:channel:AbC')).toBe('signal:channel:abc');
    expect(normalizeSessionKey('mysignal:group:AbC')).toBe('mysignal:group:abc');
  });

  it('takes the agent off a key for a request, and leaves other keys alone', () => {
    expect(toAgentRequestSessionKey('agent:main:Direct:Ana')).toBe('direct:ana');
    expect(toAgentRequestSessionKey(' SubAgent:ABC ')).toBe('SubAgent:ABC');
    expect(toAgentRequestSessionKey('')).toBeUndefined();
  });

  it('cuts a thread at its last marker', () => {
    expect(parseThreadSuffix('agent:main:slack:channel:C1:Thread:2:thread:Three')).toEqual({
      baseSessionKey: 'agent:main:slack:channel:C1:Thread:2',
      threadId: 'Three',
    });
    expect(parseThreadSuffix('agent:main:discord:channel:1:thread:')).toEqual({
      baseSessionKey: 'agent:main:discord:channel:1',
    });
    expect(parseThreadSuffix('thread:x')).toEqual({ baseSessionKey: 'thread:x' });
    expect(parseThreadSuffix(undefined)).toEqual({});
  });

  it('names the conversation of a group or channel key, and of no other', () => {
    expect(parseConversationRef('Agent:main:Slack:Channel:C0:thread:1')).toEqual({
      channel: 'slack',
      kind: 'channel',
      rawId: 'C0:thread:1',
      prefix: 'Agent:main:Slack:Channel',
    });
    expect(parseConversationRef('discord:channel:1')).toMatchObject({ prefix: 'discord:channel', rawId: '1' });
    for (const key of ['agent:main:main', 'agent:main:discord:channel', 'agent:main:discord:dm:1', undefined]) {
      expect(parseConversationRef(key)).toBeUndefined();
    }
  });
});

describe('what a session is for', () => {
  it('knows subagents by the start of the key, not by a part in the middle', () => {
    for (const key of [
      'agent:main:subagent:x',
      'SubAgent:x',
      ' agent:a:SUBAGENT:b:subagent:c ',
      'agent:main: subagent:x',
    ]) {
      expect(isSubagentSessionKey(key)).toBe(true);
    }
    for (const key of ['agent:main:main:subagent:x', 'agent:main:subagent', 'agent:main:subagents:1', null]) {
      expect(isSubagentSessionKey(key)).toBe(false);
    }
    expect(subagentDepthOfSessionKey('agent:main:subagent:a:subagent:b')).toBe(2);
    expect(subagentDepthOfSessionKey('agent:main:main')).toBe(0);
  });

  it('knows cron jobs and their runs, but only below an agent', () => {
    expect(isCronSessionKey('agent:main:cron:job')).toBe(true);
    expect(isCronSessionKey('cron:job')).toBe(false);
    expect(isCronSessionKey('agent:main:cronx:1')).toBe(false);
    expect(isCronRunSessionKey('agent:main:cron:job:run:17:thread:2')).toBe(true);
    expect(isCronRunSessionKey('agent:main:cron:job')).toBe(false);
    expect(isCronRunSessionKey('agent:main:cron:a:b:run:c')).toBe(false);
  });

  it('knows acp sessions', () => {
    expect(isAcpSessionKey('ACP:x')).toBe(true);
    expect(isAcpSessionKey('agent:main:acp:x')).toBe(true);
    expect(isAcpSessionKey('agent:main:acp')).toBe(false);
  });

  it('knows a heartbeat by its suffix, and does not mistake a name for one', () => {
    for (const key of ['agent:main:main:heartbeat', 'agent:main:discord:channel:1:Heartbeat', 'global:heartbeat']) {
      expect(isHeartbeatSessionKey(key)).toBe(true);
    }
    for (const key of [
      'agent:main:heartbeat',
      'agent:main:discord:channel:heartbeat',
      'agent:main:cron:heartbeat',
      'heartbeat',
      'agent:main:main',
      undefined,
    ]) {
      expect(isHeartbeatSessionKey(key)).toBe(false);
    }
  });

  it('gives helpers the short prompt', () => {
    expect(promptModeOfSessionKey('agent:main:subagent:x')).toBe('minimal');
    expect(promptModeOfSessionKey('agent:main:cron:x')).toBe('minimal');
    expect(promptModeOfSessionKey('agent:main:acp:x')).toBe('full');
  });
});

describe('the surface of a session', () => {
  it.each([
    ['agent:main:main', { agentId: 'main', surface: 'main' }],
    ['agent:main:home:thread:7', { agentId: 'main', surface: 'main', threadId: '7' }],
    ['agent:main:direct:ana', { agentId: 'main', surface: 'direct', peerId: 'ana' }],
    ['agent:main:telegram:direct:5', { agentId: 'main', surface: 'direct', channel: 'telegram', peerId: '5' }],
    [
      'agent:main:telegram:biz:direct:5',
      { agentId: 'main', surface: 'direct', channel: 'telegram', accountId: 'biz', peerId: '5' },
    ],
    [
      'agent:main:Slack:Channel:C0AB:thread:17.5',
      { agentId: 'main', surface: 'channel', channel: 'slack', peerId: 'C0AB', threadId: '17.5' },
    ],
    [
      'agent:main:telegram:group:-100:topic:42',
      { agentId: 'main', surface: 'group', channel: 'telegram', peerId: '-100:topic:42' },
    ],
    ['discord:channel:1', { surface: 'channel', channel: 'discord', peerId: '1' }],
    ['agent:main:cron:job', { agentId: 'main', surface: 'other' }],
    ['global', { surface: 'other' }],
  ])('is read from %s', (key, parsed) => {
    expect(parseSessionKey(key)).toEqual(parsed);
  });

  it('is shared in groups and channels, with all that hangs below them', () => {
    for (const key of [
      'agent:main:discord:channel:998',
      'agent:main:discord:channel:998:heartbeat',
      'agent:main:discord:channel:heartbeat',
      'agent:main:discord:channel:thread:5',
      'agent:main:slack:CHANNEL:c1:thread:1.2:sender:u1',
      'agent:main:slack:channel:c1:thread:',
      'agent:main:slack:channel::',
      'agent:main:telegram:group:-1:topic:2',
      'agent:main:telegram:biz:group:-1',
      'agent:main::whatsapp:group:12@g.us:',
      'agent:main:group:12',
      'agent:main:whatsapp:12@g.us',
      'agent:main:discord:guild-1:channel-2',
      'signal:group:AbC=',
    ]) {
      expect([key, isSharedSurfaceSessionKey(key)]).toEqual([key, true]);
    }
  });

  it('is shared in a shape that is not known yet but speaks of a place where people gather', () => {
    for (const key of [
      'agent:main:discord:guild:1:channel:2',
      'agent:main:slack:mpim:1',
      'agent:main:msteams:room:1',
    ]) {
      expect([key, isSharedSurfaceSessionKey(key)]).toEqual([key, true]);
    }
  });

  it('is not shared between two people, nor without people', () => {
    for (const key of [
      'agent:main:main',
      'agent:main:direct:group',
      'agent:main:telegram:direct:channel:5',
      'agent:main:subagent:group:x',
      'agent:main:hook:channel:x',
      'agent:group:main',
      'agent:channel:telegram:direct:1',
      'agent:main:__proto__:constructor:x',
      undefined,
    ]) {
      expect([key, isSharedSurfaceSessionKey(key)]).toEqual([key, false]);
    }
  });

  it('survives any text', () => {
    const part = fc.constantFrom(
      'agent',
      'group',
      'channel',
      'thread',
      'heartbeat',
      'signal',
      'direct',
      'A',
      ' ',
      '',
      'İ',
    );
    const key = fc.oneof(
      anyString(),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join(':')),
    );
    forAll([key], (text) => {
      expect(['main', 'direct', 'group', 'channel', 'other']).toContain(surfaceOfSessionKey(text));
      expect(typeof isHeartbeatSessionKey(text)).toBe('boolean');
    });
  });
});
