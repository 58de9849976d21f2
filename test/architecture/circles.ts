import { posix } from 'node:path';
import { importsOf } from './arrows.js';
import type { SourceFile } from './sources.js';

/** Files that import each other, directly or over others; imports of types count. Each circle once, sorted. */
export function circles(files: readonly SourceFile[]): string[][] {
  const paths = new Set(files.map(({ path }) => path));
  const imports = new Map(files.map((file) => [file.path, targetsOf(file, paths)]));
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  // Strongly connected components, by Tarjan.
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    open.push(path);
    for (const next of imports.get(path) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const path of paths) if (!order.has(path)) visit(path);
  return found;
}

function targetsOf(file: SourceFile, paths: ReadonlySet<string>): string[] {
  return importsOf(file)
    .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '.ts'))
    .map((path) => (paths.has(path) ? path : `${path}x`))
    .filter((path) => paths.has(path));
}
