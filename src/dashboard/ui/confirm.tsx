import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { FailureNotice } from './notices.js';

interface ConfirmProps {
  readonly title: string;
  readonly confirm: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Asks for confirmation of an action that can't be undone. */
export function Confirm({ title, confirm, onConfirm, onClose, isBusy, error, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        <div>{children}</div>
        <FailureNotice error={error} />
        <div className="form-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
            {confirm}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
