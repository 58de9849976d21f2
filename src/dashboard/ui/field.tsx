import { type ReactNode, useId } from 'react';
import { useFieldErrors } from './form.js';

/** Props that tie a control to its label, its hint and its errors. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

export interface FieldProps {
  readonly label: string;
  /** The field's name in REST spelling, as the server's violations call it. */
  readonly name: string;
  readonly hint?: ReactNode;
}

/** A label, its control, and below it the server's errors of the field and the hint. */
export function Field({
  label,
  name,
  hint,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const errors = useFieldErrors(name);
  return (
    <div className="field" data-field={name}>
      <label htmlFor={id}>{label}</label>
      {children(controlProps(id, errors, hint))}
      <Below id={id} errors={errors} hint={hint} />
    </div>
  );
}

/** As `Field`, for controls that are made of several: a group with the label as its name. */
export function FieldGroup({ label, name, hint, children }: FieldProps & { readonly children: ReactNode }) {
  const id = useId();
  const errors = useFieldErrors(name);
  return (
    <fieldset
      className="field"
      data-field={name}
      aria-describedby={controlProps(id, errors, hint)['aria-describedby']}
    >
      <legend>{label}</legend>
      {children}
      <Below id={id} errors={errors} hint={hint} />
    </fieldset>
  );
}

export function controlProps(id: string, errors: readonly string[], hint: ReactNode): ControlProps {
  const described = [errors.length > 0 && `${id}-errors`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    id,
    'aria-invalid': errors.length > 0,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
  };
}

/** The texts below a control. */
export function Below({
  id,
  errors,
  hint,
}: {
  readonly id: string;
  readonly errors: readonly string[];
  readonly hint: ReactNode;
}) {
  return (
    <>
      {errors.length > 0 && (
        <div id={`${id}-errors`} className="field-error">
          {errors.map((error) => (
            <p key={error}>{error}</p>
          ))}
        </div>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
    </>
  );
}
