import { beforeEach, describe, expect, it } from 'vitest';
import { DebugSwitches } from './debug-switches.ts';

const FILES = { payload: '/p', 'raw-stream': '/r', 'cache-trace': '/c', 'model-payload': null, trajectory: '/t' };

let now: number;
let switches: DebugSwitches;
beforeEach(() => {
  now = 1_000;
  switches = new DebugSwitches({ always: new Set(['payload']), files: FILES, now: () => now });
});

describe('the switches of debug logs', () => {
  it('leave on what the environment switched on, for every session and without an end', () => {
    switches.switchOff({ logs: ['payload'] });
    expect(switches.isOn('payload', 'agent:main:main')).toBe(true);
    expect(switches.list()).toEqual([{ log: 'payload', sessionKey: null, until: null, file: '/p' }]);
  });

  it('switch a log on for one session, until its time is over', () => {
    switches.switchOn({ logs: ['raw-stream'], sessionKey: 'agent:main:main', ms: 500 });
    expect(switches.isOn('raw-stream', 'agent:main:main')).toBe(true);
    expect(switches.isOn('raw-stream', 'agent:main:other')).toBe(false);
    expect(switches.isOnSomewhere('raw-stream')).toBe(true);
    expect(switches.list().at(-1)).toEqual({
      log: 'raw-stream',
      sessionKey: 'agent:main:main',
      until: 1_500,
      file: '/r',
    });
    now = 1_500;
    expect(switches.isOn('raw-stream', 'agent:main:main')).toBe(false);
    expect(switches.isOnSomewhere('raw-stream')).toBe(false);
  });

  it('give no end to what is always on, and do not call trajectories a log that somebody switched on', () => {
    switches = new DebugSwitches({ always: new Set(['payload', 'trajectory']), files: FILES, now: () => now });
    switches.switchOn({ logs: ['payload', 'trajectory'], sessionKey: 'agent:main:main', ms: 500 });
    expect(switches.isOn('trajectory', 'agent:main:other')).toBe(true);
    expect(switches.list()).toEqual([{ log: 'payload', sessionKey: null, until: null, file: '/p' }]);
  });

  it('give a log that is on a new end', () => {
    switches.switchOn({ logs: ['raw-stream'], ms: 500 });
    switches.switchOn({ logs: ['raw-stream'], ms: 100 });
    expect(switches.list().map(({ until }) => until)).toEqual([null, 1_100]);
  });

  it('switch off for one session or for all', () => {
    switches.switchOn({ logs: ['raw-stream', 'cache-trace'], sessionKey: 'a', ms: 500 });
    switches.switchOn({ logs: ['raw-stream'], sessionKey: 'b', ms: 500 });
    switches.switchOff({ logs: ['raw-stream'], sessionKey: 'a' });
    expect(switches.list().map(({ log, sessionKey }) => `${log} ${sessionKey}`)).toEqual([
      'payload null',
      'cache-trace a',
      'raw-stream b',
    ]);
    switches.switchOff({ logs: ['raw-stream', 'cache-trace'] });
    expect(switches.list()).toHaveLength(1);
  });
});
