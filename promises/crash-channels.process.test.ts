// Kills a real gateway that talks on Telegram, Discord and Slack: between the commit of a message and its
// acknowledgement, between a send and its receipt, and while an answer grows on the platform. The platforms are fakes on
// this machine, and the client libraries are the real ones.

import { describe, it } from 'vitest';
import { FAKE_PLATFORMS } from '../src/testkit/fake-platforms.ts';
import {
  absencePoints,
  CHAT_POINTS,
  draftPoints,
  killedAtDraft,
  killedAtEdit,
  killedInTalk,
  writtenWhileDown,
} from './fixtures/crash-channels.ts';
import { inTurn } from './fixtures/crash-stage.ts';

const TIMEOUT_MS = 180_000;

describe.concurrent.each(Object.keys(FAKE_PLATFORMS))('a gateway on %s that is killed', (platform) => {
  it.each(CHAT_POINTS)(
    'answers every message in order, at %s',
    (point) => inTurn(() => killedInTalk(platform, point)),
    TIMEOUT_MS,
  );
  it.each(draftPoints(platform))(
    'replaces what it showed of an answer, at %s',
    (point) => inTurn(() => killedAtDraft(platform, point)),
    TIMEOUT_MS,
  );
  it('goes on with an answer that grows', () => inTurn(() => killedAtEdit(platform)), TIMEOUT_MS);
  it.each(absencePoints(platform))(
    'answers what was written meanwhile, at %s',
    (point) => inTurn(() => writtenWhileDown(platform, point)),
    TIMEOUT_MS,
  );
});
