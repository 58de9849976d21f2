import { existsSync, readFileSync } from 'node:fs';

export interface PackageFile {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** Reads the nearest package.json above this file, built or not. */
export function packageFile(): PackageFile {
  let file = new URL('package.json', import.meta.url);
  while (!existsSync(file)) {
    const above = new URL('../package.json', file);
    if (above.href === file.href) throw new Error('package.json is missing');
    file = above;
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}
