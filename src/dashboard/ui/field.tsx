import { type ReactNode, useId } from 'react';
import { useFaults } from './form.js';

/** What a control needs to be tied to its label, its hint and its faults. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

/** What every field has. */
export interface FieldProps {
  readonly label: string;
  /** The field's name in REST spelling, as the server's violations call it. */
  readonly name: string;
  readonly hint?: ReactNode;
}

/** A label, its control, and below it what the server said about the field, or else a hint. */
export function Field({
  label,
  name,
  hint,
  children,
}: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const faults = useFaults(name);
  return (
    <div className="field" data-field={name}>
      <label htmlFor={id}>{label}</label>
      {children(controlProps(id, faults, hint))}
      <Below id={id} faults={faults} hint={hint} />
    </div>
  );
}

/** As `Field`, for controls that are made of several: a group with the label as its name. */
export function FieldGroup({ label, name, hint, children }: FieldProps & { readonly children: ReactNode }) {
  const id = useId();
  const faults = useFaults(name);
  return (
    <fieldset
      className="field"
      data-field={name}
      aria-describedby={controlProps(id, faults, hint)['aria-describedby']}
    >
      <legend>{label}</legend>
      {children}
      <Below id={id} faults={faults} hint={hint} />
    </fieldset>
  );
}

/** What ties a control to the texts below it. */
export function controlProps(id: string, faults: readonly string[], hint: ReactNode): ControlProps {
  const described = [faults.length > 0 && `${id}-faults`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    id,
    'aria-invalid': faults.length > 0,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
  };
}

/** The texts below a control. */
export function Below({
  id,
  faults,
  hint,
}: {
  readonly id: string;
  readonly faults: readonly string[];
  readonly hint: ReactNode;
}) {
  return (
    <>
      {faults.length > 0 && (
        <div id={`${id}-faults`} className="field-error">
          {faults.map((fault) => (
            <p key={fault}>{fault}</p>
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
