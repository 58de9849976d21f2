import { trimEnd } from './trim-end.js';

/** The path of an absolute URL without slashes at its end: empty for a root, and for null. */
export function pathOfUrl(url: string | null): string {
  return url === null ? '' : trimEnd(new URL(url).pathname, '/');
}
