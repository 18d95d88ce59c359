import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestApi } from '../fixtures/test-api.ts';

let api: TestApi;
const checked: object[] = [];
beforeAll(async () => {
  api = await TestApi.open({
    register: (hooks) =>
      void hooks.register({
        hook: 'before_install',
        id: 'guard',
        owner: 'guard',
        handler: (asked) => {
          checked.push(asked);
          return { block: true, blockReason: 'no' };
        },
      }),
  });
});
afterAll(() => api.close());
beforeEach(() => {
  checked.length = 0;
});

const check = (body: object) => api.call('POST', '/api/installs/check', body);

const event = {
  targetType: 'skill',
  targetName: 'pdf',
  sourcePath: '/staging/package',
  sourcePathKind: 'directory',
  request: { kind: 'skill-install', mode: 'install' },
  builtinScan: { status: 'ok', findings: [] },
  skill: { installId: 'pdf' },
};
const context = { targetType: 'skill', requestKind: 'skill-install' };

describe('the question whether something may be installed', () => {
  it('goes to the plugins as it was asked, and their answer comes back', async () => {
    expect(await check({ event, context })).toMatchObject({
      status: 200,
      json: { refusal: { by: 'guard', reason: 'no' }, findings: [], asked: 1 },
    });
    expect(checked).toEqual([event]);
  });

  it('is refused when it is no such question', async () => {
    for (const body of [{}, { event }, { event: { ...event, extra: 1 }, context }, { event, context: {} }]) {
      expect((await check(body)).status).toBe(400);
    }
    expect(checked).toEqual([]);
  });
});
