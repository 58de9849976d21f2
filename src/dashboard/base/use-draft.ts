import { useState } from 'react';
import { changedPaths } from './changes.js';

/** The input of a form, begun from what is stored or from a blank. */
interface DraftForm<T> {
  readonly draft: T;
  readonly change: (part: Partial<T>) => void;
  /** What `final` (the draft when left out) changes since the form began or was last saved, as the paths of an update mask. */
  readonly changedPaths: (final?: T) => string[];
  /** Call it when `final` (the draft when left out) is stored. */
  readonly markSaved: (final?: T) => void;
}

export function useDraft<T extends object>(initial: T | (() => T)): DraftForm<T> {
  const [saved, setSaved] = useState(initial);
  const [draft, setDraft] = useState(saved);
  return {
    draft,
    change: (part) => setDraft({ ...draft, ...part }),
    changedPaths: (final = draft) => changedPaths(saved, final),
    markSaved: (final = draft) => {
      setSaved(final);
      setDraft(final);
    },
  };
}
