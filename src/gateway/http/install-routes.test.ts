import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttpApp } from './create-http-app.ts';
import { FakeGateway, TEST_TOKEN } from './fixtures/fake-gateway.ts';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await FakeGateway.create();
});
afterEach(() => gateway.remove());

async function check(body: object) {
  const response = await createHttpApp(gateway.appOptions()).request('http://127.0.0.1/api/installs/check', {
    method: 'POST',
    headers: { authorization: `Bearer ${TEST_TOKEN}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

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
    gateway.installVerdict = { refusal: { by: 'guard', reason: 'no' }, findings: [], asked: 1 };
    expect(await check({ event, context })).toEqual({ status: 200, json: gateway.installVerdict });
    expect(gateway.installsChecked).toEqual([event]);
  });

  it('is refused when it is no such question', async () => {
    for (const body of [{}, { event }, { event: { ...event, extra: 1 }, context }, { event, context: {} }]) {
      expect((await check(body)).status).toBe(400);
    }
    expect(gateway.installsChecked).toEqual([]);
  });
});
