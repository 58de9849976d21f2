import { useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Option } from '../base/option.js';
import { Button, IconButton } from './button.js';
import { type ControlProps, Field, FieldGroup, type FieldProps } from './field.js';
import { Segments } from './segments.js';

interface ListProps {
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
  /** Values with a name of their own. Where `isClosed`, the only ones that can be chosen. */
  readonly options: readonly Option[];
  readonly isClosed?: boolean;
  readonly placeholder?: string;
}

/** A list of texts, each of which can be removed, and an input to add some. */
export function ListInput({
  value,
  onChange,
  options,
  isClosed = false,
  placeholder,
  ...field
}: FieldProps & ListProps) {
  const list = { value, onChange, options, isClosed, ...(placeholder !== undefined && { placeholder }) };
  return <Field {...field}>{(control) => <List control={control} label={field.label} {...list} />}</Field>;
}

interface RestrictionProps extends FieldProps, Omit<ListProps, 'value' | 'onChange'> {
  /** Null restricts nothing; an empty list allows nothing. */
  readonly value: readonly string[] | null;
  readonly onChange: (value: readonly string[] | null) => void;
  /** The label of no restriction, such as "Every model". */
  readonly everything: string;
  /** The label of a list; "Only these" when left out. */
  readonly these?: string;
}

/** No restriction, or an allowlist. */
export function RestrictionField({
  value,
  onChange,
  everything,
  these = 'Only these',
  label,
  name,
  hint,
  ...list
}: RestrictionProps) {
  const [lastList, setLastList] = useState<readonly string[]>(value ?? []);
  const change = (next: readonly string[]) => {
    setLastList(next);
    onChange(next);
  };
  return (
    <FieldGroup label={label} name={name} {...(hint !== undefined && { hint })}>
      <Segments
        label={label}
        value={value === null ? 'everything' : 'these'}
        options={[
          { value: 'everything', label: everything },
          { value: 'these', label: these },
        ]}
        onChange={(option) => onChange(option === 'these' ? lastList : null)}
      />
      {value !== null && <List {...list} control={undefined} label={label} value={value} onChange={change} />}
    </FieldGroup>
  );
}

interface EditorProps extends ListProps {
  readonly control: ControlProps | undefined;
  readonly label: string;
}

function List({
  control,
  label,
  value: values,
  onChange,
  options,
  isClosed = false,
  placeholder,
}: EditorProps) {
  const named = new Map(options.map((option) => [option.value, option.label]));
  const add = (value: string) => onChange(values.includes(value) ? values : [...values, value]);
  const adder = {
    control,
    label,
    options: options.filter(({ value }) => !values.includes(value)),
    add,
    placeholder,
  };
  return (
    <div className="list-editor">
      {values.length > 0 && (
        <ul className="chips">
          {values.map((value) => (
            <li key={value} className="chip">
              <span title={value}>{named.get(value) ?? value}</span>
              <IconButton
                icon="close"
                label={`Remove ${named.get(value) ?? value}`}
                onClick={() => onChange(values.filter((other) => other !== value))}
              />
            </li>
          ))}
        </ul>
      )}
      {isClosed ? <Picker {...adder} /> : <Typer {...adder} />}
    </div>
  );
}

interface AdderProps {
  readonly control: ControlProps | undefined;
  readonly label: string;
  readonly options: readonly Option[];
  readonly add: (value: string) => void;
  readonly placeholder: string | undefined;
}

function Picker({ control, label, options, add, placeholder }: AdderProps) {
  return (
    <select
      {...(control ?? { 'aria-label': `Add to ${label}` })}
      className="input"
      value=""
      disabled={options.length === 0}
      onChange={(event) => add(event.target.value)}
    >
      <option value="">{options.length === 0 ? 'Nothing left to add' : (placeholder ?? 'Add …')}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}

/** Text that is typed but not added yet is added when the form is submitted. */
function Typer({ control, label, options, add, placeholder }: AdderProps) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const commit = () => {
    if (text.trim() !== '') add(text.trim());
    setText('');
  };
  useEffect(() => {
    const form = input.current?.form;
    // Runs before React's own handler, which then sees the list with the text in it.
    const addTyped = () => flushSync(commit);
    form?.addEventListener('submit', addTyped);
    return () => form?.removeEventListener('submit', addTyped);
  });
  const listId = useId();
  return (
    <div className="adder">
      <input
        {...(control ?? { 'aria-label': `Add to ${label}` })}
        ref={input}
        className="input"
        list={listId}
        value={text}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          commit();
        }}
      />
      <datalist id={listId}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </datalist>
      <Button onClick={commit}>Add</Button>
    </div>
  );
}
