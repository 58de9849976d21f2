import { useMemo, useSyncExternalStore } from 'react';
import { type Place, placeOf } from './route.js';

/** Where one is now; renders again with every move. */
export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => placeOf(hash), [hash]);
}

function subscribe(moved: () => void): () => void {
  window.addEventListener('hashchange', moved);
  return () => window.removeEventListener('hashchange', moved);
}
