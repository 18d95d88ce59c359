// A gateway that is stopped after the test in every case.

import { onTestFinished } from 'vitest';
import { ScratchGateway, type ScratchGatewaySettings } from './scratch-gateway.ts';

export async function gatewayForTest(settings: ScratchGatewaySettings = {}): Promise<ScratchGateway> {
  const scratch = await ScratchGateway.open(settings);
  onTestFinished(() => scratch.close());
  return scratch;
}
