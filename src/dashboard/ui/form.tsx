import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { callRefusalOf, violationsOf } from '../base/refusal.js';
import { Button } from './button.js';
import { FailureNotice } from './notices.js';

const FormError = createContext<unknown>(null);

/** The server's messages about one field of the enclosing form. */
export function useFieldErrors(name: string): string[] {
  const error = useContext(FormError);
  return error === null || error === undefined ? [] : violationsOf(callRefusalOf(error).violations, name);
}

interface FormProps {
  readonly submit: string;
  readonly onSubmit: () => void;
  readonly onCancel?: () => void;
  readonly isBusy: boolean;
  /** Why the last submission failed; null when it did not. */
  readonly error: unknown;
  readonly children: ReactNode;
}

/**
 * A form that leaves every rule to the server: its errors are shown in full above the buttons, and at each field that
 * they name, the first of which gets the focus.
 */
export function Form({ submit, onSubmit, onCancel, isBusy, error, children }: FormProps) {
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === null || error === undefined) return;
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);
  return (
    <form
      ref={element}
      className="form"
      method="post"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      <FormError.Provider value={error}>{children}</FormError.Provider>
      <FailureNotice error={error} />
      <div className="form-actions">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
