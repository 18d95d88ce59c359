// The SHA-256 of a text or of bytes, as 64 hexadecimal digits.

import { hash } from 'node:crypto';

export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content);
}
