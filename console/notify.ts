// Tells a person who looks elsewhere that something happened, if they have allowed it. A press on it opens the
// conversation.

import { signal } from '@preact/signals';
import { navigate } from './router.ts';

/** Whether the browser may show notifications; `unsupported` where it has none. */
export const notifyState = signal<NotificationPermission | 'unsupported'>(
  'Notification' in globalThis ? Notification.permission : 'unsupported',
);

export async function allowNotifications(): Promise<void> {
  notifyState.value = await Notification.requestPermission();
}

/** A later one about the same conversation takes the place of the one before. */
export function notify(title: string, text: string, session: string | undefined): void {
  if (notifyState.value !== 'granted' || document.visibilityState === 'visible') return;
  try {
    const tag = `${session ?? ''} ${title}`;
    const shown = new Notification(title, { body: text.slice(0, LONGEST), icon: '/assets/icon.svg', tag });
    shown.onclick = () => {
      window.focus();
      if (session !== undefined) navigate({ page: 'session', session });
      shown.close();
    };
  } catch {
    // Some browsers on telephones allow notifications and cannot show them from a page.
  }
}

const LONGEST = 160;
