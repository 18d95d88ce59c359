// The client of Slack's library for sockets, which here survives frames that make no sense, and can be ended without
// waiting for Slack.

import { SocketModeClient } from '@slack/socket-mode';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';

export class PatientClient extends SocketModeClient {
  /** Why Slack closes the connection, once it has said so. */
  reason: string | undefined;

  /** The library closes politely first, and at once when it is asked a second time. */
  end(): void {
    void this.disconnect().catch(() => {});
    setTimeout(() => void this.disconnect().catch(() => {}), 200).unref();
  }

  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    const frame = isBinary || typeof data !== 'string' ? undefined : readFrame(data);
    if (frame?.type === 'disconnect') this.reason = String(frame.reason);
    try {
      await super.onWebSocketMessage(data, isBinary);
    } catch {
      // A frame that the library cannot read is left out; Slack sends again what was not acknowledged.
    }
  }
}

function readFrame(text: string): JsonObject | undefined {
  try {
    const frame: unknown = JSON.parse(text);
    return isJsonObject(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
}
