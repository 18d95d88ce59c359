// Changes between light, dark and the theme of the system.

import { Icon } from '../view/icon.tsx';
import { applyTheme, nextTheme, theme } from './theme.ts';

export function ThemeButton() {
  const label = `Theme: ${theme.value}`;
  return (
    <button
      type="button"
      class="ghost round"
      aria-label={label}
      title={label}
      onClick={() => applyTheme(nextTheme(theme.value))}
    >
      <Icon name="sun" />
    </button>
  );
}
