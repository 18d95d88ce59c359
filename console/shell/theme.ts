// Light, dark, or as the system is. The choice stays in this browser.

import { signal } from '@preact/signals';
import { browserMemory } from '../browser-memory.ts';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const theme = signal<Theme>(THEMES.find((each) => each === browserMemory.get('theme')) ?? 'system');

export function applyTheme(next: Theme): void {
  theme.value = next;
  browserMemory.set('theme', next);
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}

export function nextTheme(current: Theme): Theme {
  return THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
}
