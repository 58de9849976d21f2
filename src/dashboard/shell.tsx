import { type ReactNode, useEffect, useState } from 'react';
import { linkTo } from './base/route.js';
import { useHashLocation } from './base/use-hash-location.js';
import { DESTINATIONS } from './navigation.js';
import { useSignOut } from './session/session.js';
import { IconButton } from './ui/button.js';
import { Icon, Logo } from './ui/icons.js';

/** The sidebar, which folds into a menu on narrow screens, beside the page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const location = useHashLocation();
  const signOut = useSignOut();
  const [isOpen, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: going to another location closes the menu
  useEffect(() => setOpen(false), [location]);
  const here = location.segments[0] ?? '';
  return (
    <div className="shell">
      <button
        type="button"
        className="skip"
        onClick={() => document.querySelector<HTMLElement>('h1')?.focus()}
      >
        Skip to content
      </button>
      <header className="sidebar">
        <a className="brand" href={linkTo([])}>
          <Logo />
          Byway
        </a>
        <div className="menu-button">
          <IconButton
            icon={isOpen ? 'close' : 'menu'}
            label={isOpen ? 'Close the menu' : 'Open the menu'}
            onClick={() => setOpen(!isOpen)}
          />
        </div>
        <nav className={isOpen ? 'navigation open' : 'navigation'} aria-label="Main">
          {DESTINATIONS.map(({ segment, title, icon, startsGroup }) => (
            <a
              key={segment}
              className={startsGroup ? 'gap' : undefined}
              href={linkTo(segment === '' ? [] : [segment])}
              aria-current={segment === here ? 'page' : undefined}
            >
              <Icon name={icon} />
              {title}
            </a>
          ))}
          <button type="button" className="sign-out" onClick={signOut}>
            <Icon name="signOut" />
            Sign out
          </button>
        </nav>
      </header>
      <main className="main">{children}</main>
    </div>
  );
}
