import type { ReactNode } from 'react';

/** The product's mark. */
export function Logo() {
  return (
    <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 25V7M9 16c0 5 14 0 14 8M9 16c0-5 14 0 14-8" />
    </svg>
  );
}

/** Drawn on a grid of 24; always beside a text or in an element with a label. */
const PATHS = {
  overview: 'M4 19V9m5 10V5m5 14v-7m5 7V8',
  keys: 'M15 7a4 4 0 1 1-3.5 6L4 20.5V17h3v-3h2.5l1.6-1.6A4 4 0 0 1 15 7Zm.5 3.5h.01',
  byok: 'M7 10V7a5 5 0 0 1 10 0v3m-12 0h14v10H5V10Zm7 4v2.5',
  guardrails: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.500-1-8-4-8-9V6l8-3Zm-3 9l2.200 2.200L15.500 10',
  workspaces: 'M4 5h7v6H4V5Zm9 0h7v6h-7V5ZM4 13h7v6H4v-6Zm9 0h7v6h-7v-6Z',
  preferences: 'M5 7h9m4 0h1M5 12h2m4 0h8M5 17h7m4 0h3M16 5v4M9 10v4m5 1v4',
  models: 'M12 3l8 4.500v9L12 21l-8-4.500v-9L12 3Zm0 9l8-4.500M12 12v9m0-9L4 7.500',
  generations: 'M5 6h14M5 12h14M5 18h9',
  routing: 'M6 4v9a5 5 0 0 0 5 5h8m-3-3 3 3-3 3M6 8h10m-3-3 3 3-3 3',
  clients: 'M4 6h16v12H4V6Zm0 4h16M7 8h.01',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  up: 'M12 19V6m-5 5 5-5 5 5',
  down: 'M12 5v13m-5-5 5 5 5-5',
  swap: 'M7 4v13m-3-3 3 3 3-3M17 20V7m-3 3 3-3 3 3',
  copy: 'M9 9h10v11H9V9Zm-4 6V4h10',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  alert: 'M12 8v5m0 3h.01M12 3l9.500 17h-19L12 3Z',
  signOut: 'M10 4H5v16h5m4-12 4 4-4 4m4-4H9',
  back: 'M19 12H6m5-5-5 5 5 5',
  search: 'M11 5a6 6 0 1 1 0 12 6 6 0 0 1 0-12Zm4.500 10.500L20 20',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon in the colour and size of its text. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
