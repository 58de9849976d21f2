import { useMemo, useSyncExternalStore } from 'react';
import { type HashLocation, hashLocationOf } from './route.js';

/** The current location; renders again when it changes. */
export function useHashLocation(): HashLocation {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => hashLocationOf(hash), [hash]);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}
