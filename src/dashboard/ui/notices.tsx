import type { ReactNode } from 'react';
import { refusalOf } from '../base/refusal.js';
import { Button } from './button.js';
import { Icon } from './icons.js';

/** What a failed call says, in full; nothing while there is no failure. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  if (error === null || error === undefined) return null;
  return (
    <div className="notice danger" role="alert">
      <Icon name="alert" />
      <p>{refusalOf(error).message}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

/** Something to know before going on. */
export function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div className="notice">
      <Icon name="alert" />
      <div>{children}</div>
    </div>
  );
}

/** Stands where there is nothing yet, and says what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  );
}

/** Stands where something is being read. */
export function Loading({ rows = 3 }: { readonly rows?: number }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: rows }, (_, row) => row).map((row) => (
        <span key={row} className="skeleton" />
      ))}
    </div>
  );
}

/** A short word for a state. */
export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

/** What a state means. */
export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';
