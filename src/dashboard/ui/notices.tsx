import type { ReactNode } from 'react';
import type { Warning } from '../../../gen/byway/v1/common_pb.js';
import { callRefusalOf } from '../base/refusal.js';
import { Button } from './button.js';
import { Icon } from './icons.js';

/** The error of a failed call in full; nothing without one. */
export function FailureNotice({
  error,
  onRetry,
}: {
  readonly error: unknown;
  readonly onRetry?: () => void;
}) {
  if (error === null || error === undefined) return null;
  return (
    <div className="notice danger" role="alert">
      <Icon name="alert" />
      <p>{callRefusalOf(error).message}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

export function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <div className="notice">
      <Icon name="alert" />
      <div>{children}</div>
    </div>
  );
}

/** What of a record is accepted and has no effect now; nothing where there is nothing. */
export function Warnings({ warnings }: { readonly warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice>
      <ul className="warnings">
        {warnings.map(({ field, message }) => (
          <li key={`${field} ${message}`}>
            <code>{field}</code> {message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The placeholder of an empty list, with what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children !== undefined && <div className="muted">{children}</div>}
    </div>
  );
}

/** The placeholder of a list that loads. */
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

export function Badge({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone;
  readonly children: ReactNode;
}) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';
