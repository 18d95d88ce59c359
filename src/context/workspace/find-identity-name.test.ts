import { describe, expect, it } from 'vitest';
import { findIdentityName } from './find-identity-name.ts';

describe('findIdentityName', () => {
  it.each([
    ['Name: Ada', 'Ada'],
    ['# IDENTITY.md - Who Am I?\n\n- **Name:** Ada\n- **Kind:** helper', 'Ada'],
    ['* __Name__: Ada Lovelace', 'Ada Lovelace'],
    ['- **Name:**\n  Ada\n- **Kind:** helper', 'Ada'],
    ['---\nname: "Ada"\n---\nA helper.', 'Ada'],
    ['| Field | Value |\n| --- | --- |\n| Name | Ada |', 'Ada'],
    ['# Identity\r\n\r\n## Name\r\n\r\nAda\r\n', 'Ada'],
    ['\uFEFF# Ada\n\nA helper.', 'Ada'],
    ['# Identity: Ada', 'Identity: Ada'],
    ['# Identity\n\nMy name is **Ada** and I sort mail.', 'Ada'],
  ])('finds the name in %j', (text, name) => {
    expect(findIdentityName(text)).toEqual({ name, isPlaceholder: false });
  });

  it.each([
    '',
    '# Identity\n\nA helper for mail.',
    '# IDENTITY.md - Who Am I?',
    '# Agent identity\n\n- **Name:**\n- **Kind:** helper',
    'Name:\n\n## Kind\nhelper',
    'A helper.\n\n# Notes',
    'Filename: x.md',
  ])('finds none in %j', (text) => {
    expect(findIdentityName(text)).toBeUndefined();
  });

  it.each([
    'Name: _(not chosen yet)_',
    '- **Name:**\n  _(pick something)_',
    'Name: TBD',
    'Name: <your name>',
    'name: ...',
  ])('knows the placeholder in %j', (text) => {
    expect(findIdentityName(text)?.isPlaceholder).toBe(true);
  });
});
