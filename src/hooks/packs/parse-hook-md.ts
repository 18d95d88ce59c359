// Reads the text of a HOOK.md: front matter, metadata, and the `enabled` field. Every text can be parsed; values that
// could not be used are listed as problems. It knows neither files nor configuration.

import { type FrontMatter, parseFrontMatter } from './front-matter.ts';
import { type HookMetadata, type MetadataProblem, parseHookMetadata } from './hook-metadata.ts';

export interface ParsedHookMd {
  readonly frontmatter: FrontMatter;
  readonly metadata: HookMetadata | undefined;
  /** This is for display only; loading never reads it. */
  readonly invocation: { readonly enabled: boolean };
  readonly problems: readonly MetadataProblem[];
}

export async function parseHookMd(text: string): Promise<ParsedHookMd> {
  const frontmatter = await parseFrontMatter(text);
  const { metadata, problems } = await parseHookMetadata(readOwn(frontmatter, 'metadata'));
  const enabled = parseBoolean(readOwn(frontmatter, 'enabled')) ?? true;
  return { frontmatter, metadata, invocation: { enabled }, problems };
}

function readOwn(frontmatter: FrontMatter, key: string): string | undefined {
  return Object.hasOwn(frontmatter, key) ? frontmatter[key] : undefined;
}

function parseBoolean(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase() ?? '';
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  if (['false', '0', 'no', 'off'].includes(word)) return false;
  return undefined;
}
