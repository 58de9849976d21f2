import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.js';

interface PageProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  /** The page that it belongs below. */
  readonly parent?: { readonly title: string; readonly href: string };
  readonly children: ReactNode;
}

let isFirstPage = true;

/** A page of the dashboard. On navigation its heading gets the focus, so that screen readers read it out. */
export function PageLayout({ title, intro, actions, parent, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirstPage) heading.current?.focus();
    isFirstPage = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Byway`;
  }, [title]);
  return (
    <>
      <header className="page-header">
        <div>
          {parent !== undefined && (
            <a className="back" href={parent.href}>
              <Icon name="back" />
              {parent.title}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro !== undefined && <p className="intro">{intro}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface CardProps {
  readonly title?: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, intro, actions, children }: CardProps) {
  return (
    <section className="card" aria-label={title}>
      {title !== undefined && (
        <header className="card-header">
          <div>
            <h2>{title}</h2>
            {intro !== undefined && <p className="muted">{intro}</p>}
          </div>
          {actions !== undefined && <div className="actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
