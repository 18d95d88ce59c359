// A button that opens a short list of actions. Arrow keys move, Escape and a press elsewhere close it, and the focus goes
// back to the button.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly isDanger?: boolean | undefined;
  act(): void;
}

export function Menu({ label, icon, items }: { label: string; icon: IconName; items: readonly MenuItem[] }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  // Before the next frame: a key that comes at once goes to the item that the person sees in focus.
  useLayoutEffect(() => {
    if (isOpen) buttonsIn(box.current)[0]?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return;
    const press = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const pressKey = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const all = buttonsIn(box.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) all[to % all.length]?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    if (to === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} class="menu">
      <button
        ref={button}
        type="button"
        class="ghost round"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={icon} />
      </button>
      {isOpen && (
        <div class="menu-items" role="menu" tabIndex={-1} aria-label={label} onKeyDown={pressKey}>
          {items.map(({ label: name, isDanger, act }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              class={isDanger ? 'ghost danger' : 'ghost'}
              onClick={() => {
                close();
                act();
              }}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function buttonsIn(box: HTMLElement | null): readonly HTMLElement[] {
  return [...(box?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
}
