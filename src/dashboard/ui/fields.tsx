import { useId } from 'react';
import type { Option } from '../base/option.js';
import { Below, controlProps, Field, type FieldProps } from './field.js';
import { useFieldErrors } from './form.js';

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'password' | 'search' | 'date' | 'datetime-local' | 'number';
  readonly placeholder?: string;
  /** Known values to choose from; others can be typed too. */
  readonly suggestions?: readonly string[];
  readonly isMono?: boolean;
}

export function TextField({
  value,
  onChange,
  type = 'text',
  placeholder,
  suggestions,
  isMono = false,
  ...field
}: TextFieldProps) {
  const list = useId();
  return (
    <Field {...field}>
      {(control) => (
        <>
          <input
            {...control}
            className={isMono ? 'input mono' : 'input'}
            type={type}
            value={value}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            list={suggestions === undefined ? undefined : list}
            onChange={(event) => onChange(event.target.value)}
          />
          {suggestions !== undefined && (
            <datalist id={list}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** An amount of USD, typed as a decimal. */
export function UsdField({
  value,
  onChange,
  ...field
}: FieldProps & Pick<TextFieldProps, 'value' | 'onChange'>) {
  return (
    <Field {...field}>
      {(control) => (
        <div className="prefixed">
          <span aria-hidden="true">$</span>
          <input
            {...control}
            className="input"
            inputMode="decimal"
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        </div>
      )}
    </Field>
  );
}

export function TextAreaField({
  value,
  onChange,
  placeholder,
  rows = 3,
  isMono = false,
  ...field
}: TextFieldProps & { readonly rows?: number }) {
  return (
    <Field {...field}>
      {(control) => (
        <textarea
          {...control}
          className={isMono ? 'input mono' : 'input'}
          rows={rows}
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<T extends string> extends FieldProps {
  readonly value: T;
  readonly options: readonly Option<T>[];
  readonly onChange: (value: T) => void;
}

export function SelectField<T extends string>({ value, options, onChange, ...field }: SelectFieldProps<T>) {
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          className="input"
          value={value}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.target.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface SwitchFieldProps extends FieldProps {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

export function SwitchField({ label, name, hint, value, onChange }: SwitchFieldProps) {
  const id = useId();
  const errors = useFieldErrors(name);
  return (
    <div className="field switch-field" data-field={name}>
      <label htmlFor={id}>
        <input
          {...controlProps(id, errors, hint)}
          type="checkbox"
          role="switch"
          aria-checked={value}
          className="switch"
          checked={value}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      <Below id={id} errors={errors} hint={hint} />
    </div>
  );
}
