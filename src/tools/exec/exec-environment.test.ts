import { describe, expect, it } from 'vitest';
import { execEnvironment, searchPath } from './exec-environment.ts';

describe('the environment of commands', () => {
  it('has what every program expects, and nothing that nobody named', () => {
    const given = {
      PATH: '/opt/bin:/bin',
      HOME: '/home/ana',
      LC_ALL: 'C.UTF-8',
      LANG: 'de_DE.UTF-8',
      ANTHROPIC_API_KEY: 'secret',
      OPENCLAW_STATE_DIR: '/x',
      LD_PRELOAD: '/evil.so',
      NODE_OPTIONS: '--require x',
      BASH_ENV: 'x',
      ENV: 'x',
      GIT_SSH_COMMAND: 'x',
      LC_EVIL_1: 'x',
      LC_CTYPE: undefined,
    };
    expect(execEnvironment(given, [])).toEqual({
      variables: { PATH: '/opt/bin:/bin', HOME: '/home/ana', LC_ALL: 'C.UTF-8', LANG: 'de_DE.UTF-8', TERM: 'dumb' },
      refused: [],
    });
  });

  it('has what the operator names, but nothing that makes programs run something else', () => {
    const given = {
      OPENAI_API_KEY: 'key',
      LD_PRELOAD: 'x',
      'BASH_FUNC_ls%%': '() { :; }',
      PYTHONPATH: 'x',
      GIT_DIR: 'x',
    };
    const { variables, refused } = execEnvironment(given, Object.keys(given));
    expect(variables).toMatchObject({ OPENAI_API_KEY: 'key' });
    expect(refused).toEqual(['LD_PRELOAD', 'BASH_FUNC_ls%%', 'PYTHONPATH', 'GIT_DIR']);
    for (const name of refused) expect(variables).not.toHaveProperty([name]);
  });

  it('never looks for programs in the current folder', () => {
    expect(searchPath('.:/bin::bin:/usr/bin:')).toEqual(['/bin', '/usr/bin']);
    expect(searchPath('.')).toEqual(['/usr/local/bin', '/usr/bin', '/bin']);
    expect(searchPath(undefined)).toEqual(['/usr/local/bin', '/usr/bin', '/bin']);
  });
});
