import { describe, expect, it } from 'vitest';
import { pictureAddress, safeAddress } from './safe-address.ts';

describe('a link in the words of a model', () => {
  it.each(['https://example.org/a?b=c', 'http://127.0.0.1:8080/', 'mailto:a@example.org'])('may be %s', (address) => {
    expect(safeAddress(address)).toBe(address);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:http://127.0.0.1/x',
    '/api/status',
    '//example.org/x',
    '#top',
    '',
  ])('may not be %j', (address) => {
    expect(safeAddress(address)).toBeUndefined();
  });
});

describe('a picture in the words of a model', () => {
  it('has its bytes in its address', () => {
    expect(pictureAddress('data:image/png;base64,AAAA')).toBe('data:image/png;base64,AAAA');
  });

  it.each([
    'https://example.org/x.png',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
  ])('is not loaded from %s', (address) => {
    expect(pictureAddress(address)).toBeUndefined();
  });
});
