// Tells a person who looks elsewhere that something happened, if they have allowed it.

import { signal } from '@preact/signals';

/** Whether the browser may show notifications; `unsupported` where it has none. */
export const notifyState = signal<NotificationPermission | 'unsupported'>(
  'Notification' in globalThis ? Notification.permission : 'unsupported',
);

export async function allowNotifications(): Promise<void> {
  notifyState.value = await Notification.requestPermission();
}

export function notify(title: string, text: string): void {
  if (notifyState.value !== 'granted' || document.visibilityState === 'visible') return;
  try {
    const shown = new Notification(title, { body: text.slice(0, 160), icon: '/assets/icon.svg', tag: title });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    // Some browsers on telephones allow notifications and cannot show them from a page.
  }
}
