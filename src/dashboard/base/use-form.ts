import { useState } from 'react';
import { changedPaths, protoSpelling } from './changes.js';

/** The props by which a field shows and changes one member of a form. */
export interface Bound<V> {
  /** In REST spelling, as the server's violations call the member. */
  readonly name: string;
  readonly value: V;
  /** A method, so that the fields of a part of a form take the `Bind` of the whole. */
  onChange(value: V): void;
}

/** Binds a field to a member: `<TextField label="Slug" {...bind('slug')} />`. */
export type Bind<T> = <K extends keyof T & string>(member: K) => Bound<T[K]>;

/** What is typed into a form, begun from what is stored or from a blank. */
interface FormState<T> {
  readonly draft: T;
  readonly bind: Bind<T>;
  /** What `final` (the draft when left out) changes since the form began or was last saved, as the paths of an update mask. */
  readonly changedPaths: (final?: T) => string[];
  /** Call it when `final` (the draft when left out) is stored. */
  readonly saved: (final?: T) => void;
}

/** `onChange` is called after every change by a field. */
export function useForm<T extends object>(initial: T | (() => T), onChange?: () => void): FormState<T> {
  const [stored, setStored] = useState(initial);
  const [draft, setDraft] = useState(stored);
  return {
    draft,
    bind: (member) => ({
      name: protoSpelling(member),
      value: draft[member],
      onChange: (value) => {
        setDraft((current) => ({ ...current, [member]: value }));
        onChange?.();
      },
    }),
    changedPaths: (final = draft) => changedPaths(stored, final),
    saved: (final = draft) => {
      setStored(final);
      setDraft(final);
    },
  };
}
