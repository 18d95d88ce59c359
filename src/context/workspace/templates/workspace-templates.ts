// Which texts a new workspace starts with, by taxonomy, and which of them describe the agent itself. A file without a
// template is never created.

import type { TaxonomyId } from '../../taxonomy.ts';
import { OPENBOA_TEMPLATES } from './openboa-templates.ts';
import { OPENCLAW_TEMPLATES } from './openclaw-templates.ts';

export const WORKSPACE_TEMPLATES: Readonly<Record<TaxonomyId, Readonly<Record<string, string>>>> = {
  openclaw: OPENCLAW_TEMPLATES,
  openboa: OPENBOA_TEMPLATES,
};

/** A person who has edited one of these has introduced the agent already, so no first run is needed. */
export const PROFILE_FILES: Readonly<Record<TaxonomyId, readonly string[]>> = {
  openclaw: ['SOUL.md', 'IDENTITY.md', 'USER.md'],
  openboa: ['PROFILE.md', 'MANDATE.md', 'IDENTITY.md'],
};

/** The parts of a template that only its owner can fill in. */
export function templatePlaceholders(template: string): readonly string[] {
  return template.match(/_\([^)]*\)_/g) ?? [];
}
