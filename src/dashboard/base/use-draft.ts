import { useState } from 'react';
import { changedPaths } from './changes.js';

/** The input of a form, begun from what is stored or from a blank. */
interface DraftForm<T> {
  readonly draft: T;
  readonly change: (part: Partial<T>) => void;
  /** What has changed since the form began or was last saved, as the paths of an update mask. */
  readonly changedPaths: () => string[];
  /** Call it when the draft is stored. */
  readonly markSaved: () => void;
}

export function useDraft<T extends object>(initial: T | (() => T)): DraftForm<T> {
  const [saved, setSaved] = useState(initial);
  const [draft, setDraft] = useState(saved);
  return {
    draft,
    change: (part) => setDraft({ ...draft, ...part }),
    changedPaths: () => changedPaths(saved, draft),
    markSaved: () => setSaved(draft),
  };
}
