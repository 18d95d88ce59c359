import { expect, it } from 'vitest';
import { joinVariables, listEnvVariables, listVariableOddities, shellTimeoutOf } from './config-variables.ts';

it('are added where the process has none, and change nothing that it has', () => {
  const env = { A_KEY: 'top', vars: { B_KEY: 'b', TAKEN: 'other', BLANK: 'filled', A_KEY: 'vars' }, shellEnv: {} };
  const process = { TAKEN: 'own', BLANK: ' ', HOME: '/home/x' };
  expect(joinVariables(process, listEnvVariables(env))).toEqual({
    TAKEN: 'own',
    BLANK: 'filled',
    HOME: '/home/x',
    A_KEY: 'vars',
    B_KEY: 'b',
  });
  expect(joinVariables(process, listEnvVariables(undefined))).toEqual(process);
});

it('do not say where the program is found or which code it loads, and that is told', () => {
  const vars = {
    OPENCLAW_STATE_DIR: '/x',
    NODE_OPTIONS: '-r x',
    LD_PRELOAD: 'x',
    'no name': 'x',
    PATH: '/x',
    fine: 'x',
  };
  expect(joinVariables({}, listEnvVariables({ vars }))).toEqual({ fine: 'x' });
  expect(listVariableOddities({ env: { vars } }).map(({ at }) => at.at(-1))).toEqual(Object.keys(vars).slice(0, -1));
  expect(listVariableOddities({ env: { vars: { 'MY-KEY': 'x' } } })[0]?.message).toBe(
    'env.vars.MY-KEY is not set: a variable has a name of letters, digits and _.',
  );
});

it('are read from the login shell only when that is asked for, within the time that was given', () => {
  expect(shellTimeoutOf({ shellEnv: { enabled: false } }, {}, 7)).toBeUndefined();
  expect(shellTimeoutOf({ shellEnv: { enabled: true } }, {}, 7)).toBe(7);
  expect(shellTimeoutOf({ shellEnv: { enabled: true, timeoutMs: 5 } }, {}, 7)).toBe(5);
  expect(shellTimeoutOf({}, { OPENCLAW_LOAD_SHELL_ENV: '1', OPENCLAW_SHELL_ENV_TIMEOUT_MS: '9' }, 7)).toBe(9);
});
