// Small files for tests: a real picture, and texts.

/** A picture of one pixel. `shade` makes pictures that differ. */
export function pixel(shade = 0): Buffer {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  return shade === 0 ? png : Buffer.concat([png, Buffer.from([shade])]);
}
