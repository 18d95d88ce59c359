import { describe, expect, it } from 'vitest';
import { remotePicture } from './remote-picture.ts';

const policyOf = (address: string) => remotePicture(address)?.headers['content-security-policy'];

describe('the document of a picture from elsewhere', () => {
  it('may load this one address and nothing else', () => {
    const picture = remotePicture('https://pictures.example/a/b.png?size=2&x="><script>');
    expect(picture?.html).toContain(
      '<img alt="" src="https://pictures.example/a/b.png?size=2&#38;x=%22%3E%3Cscript%3E">',
    );
    expect(policyOf('https://pictures.example/a/b.png?size=2')).toBe(
      "default-src 'none'; img-src https://pictures.example/a/b.png; frame-ancestors 'self'",
    );
  });

  it('has a policy that no address can add to', () => {
    expect(policyOf("https://pictures.example/a;script-src *,'unsafe-inline'/b.png")).toBe(
      "default-src 'none'; img-src https://pictures.example/a%3Bscript-src%20*%2C%27unsafe-inline%27/b.png; frame-ancestors 'self'",
    );
  });

  it.each([
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'file:///etc/passwd',
    'x',
    'https://a:b@host/x',
    '',
  ])('is not made of %s', (address) => {
    expect(remotePicture(address)).toBeUndefined();
  });
});
