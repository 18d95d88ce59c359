// The icons of the page: one stroke, 20 units wide, in the colour of the text around them. They are decoration; a button
// that has only an icon has a label of its own.

const PATHS = {
  chat: 'M4 5.5h12v8H9l-3.5 3v-3H4z',
  plus: 'M10 4.5v11M4.5 10h11',
  menu: 'M3.5 6h13M3.5 10h13M3.5 14h13',
  close: 'M5 5l10 10M15 5L5 15',
  search: 'M9 4a5 5 0 1 1 0 10A5 5 0 0 1 9 4zM12.7 12.7L16.5 16.5',
  context: 'M4 4.5h12M4 8.2h8M4 11.9h12M4 15.6h6',
  runs: 'M4 5h6M7 10h8M5 15h4',
  hooks: 'M7 3.5v5.5a3 3 0 0 0 6 0V7M13 4.2v.1M7 12v4.5',
  operations: 'M3.5 11.5h3l2-6 3 10 2-6h3',
  send: 'M10 15.5v-11M5.5 9L10 4.5 14.5 9',
  stop: 'M6 6h8v8H6z',
  clip: 'M14.5 9.2l-5 5a3 3 0 0 1-4.3-4.3l5.4-5.4a2 2 0 0 1 2.9 2.9L8.2 12.700a1 1 0 0 1-1.4-1.400L11.5 6.6',
  copy: 'M7.5 7.500h8v8h-8zM5 12.500H4.500v-8h8V5',
  check: 'M4.5 10.500l3.5 3.5 7.5-8',
  chevron: 'M8 5.500l4.5 4.500L8 14.5',
  warning: 'M10 3.500l7 12.500H3zM10 8.500v3.500M10 13.900v.2',
  tool: 'M12.5 4a3.5 3.5 0 0 0-3.3 4.700L4 13.9 6.1 16l5.2-5.200A3.5 3.5 0 0 0 16 6.500l-2.3 2.3-2.5-2.500L13.5 4z',
  sun: 'M10 6.800a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.400zM10 2.500v1.500M10 16v1.500M2.5 10H4M16 10h1.500M4.7 4.700l1 1M14.3 14.300l1 1M4.7 15.300l1-1M14.3 5.700l1-1',
  panel: 'M3.5 4.500h13v11h-13zM12 4.500v11',
  retry: 'M15.5 10a5.5 5.5 0 1 1-1.7-4M15.5 3.500V6.500h-3',
  more: 'M5 10h.1M10 10h.1M15 10h.1',
  edit: 'M4.500 15.500l.6-3 7.900-7.900 2.400 2.400-7.900 7.900zM11.500 6.100l2.400 2.400',
  branch: 'M6 4v12M6 8.500c0 3 8 1.500 8 5.500M14 14v2M6 4v.1',
  down: 'M5.500 8L10 12.500 14.500 8',
  back: 'M12 5.500L7.500 10l4.500 4.500',
  bell: 'M5.500 13.500V9a4.500 4.500 0 0 1 9 0v4.500l1.500 1.500H4zM8.500 16.500h3',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
