import { useMemo, useSyncExternalStore } from 'react';
import { type HashLocation, hashLocationOf } from './route.js';

/** The current place; renders again when it changes. */
export function usePlace(): HashLocation {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => hashLocationOf(hash), [hash]);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
