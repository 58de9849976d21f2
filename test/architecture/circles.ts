import { posix } from 'node:path';
import { importsOf } from './arrows.js';
import { fault, type SourceFile } from './sources.js';

/** One file's import of another. */
interface Arrow {
  readonly from: SourceFile;
  readonly to: string;
  /** From 1. */
  readonly line: number;
}

/** Files that import each other, directly or over others; imports of types count. Each circle once, sorted. */
export function circles(files: readonly SourceFile[]): string[][] {
  return circlesOf(arrowsAmong(files), (path) => path).map(({ members }) => members);
}

/** Folders whose files import each other so: each circle once, with one import of each arrow in it. */
export function folderCircles(files: readonly SourceFile[]): string[] {
  return circlesOf(arrowsAmong(files), posix.dirname).map(({ members, arrows }) => {
    const first = new Map(
      arrows.map((one) => [`${posix.dirname(one.from.path)} ${posix.dirname(one.to)}`, one]),
    );
    const examples = [...first.values()].map(({ from, to, line }) => fault(from, line, `imports ${to}`));
    return `${members.join(', ')} import each other; move files, or what one needs of the other, until it is one way:\n${examples.join('\n')}`;
  });
}

/** Folders whose own files stand above some of their folders and below others. */
export function mixedFolders(files: readonly SourceFile[]): string[] {
  const arrows = arrowsAmong(files);
  const own = new Set(files.map(({ path }) => posix.dirname(path)));
  return [...own].flatMap((folder) => {
    const down = arrows.find(({ from, to }) => posix.dirname(from.path) === folder && isIn(folder, to));
    const up = arrows.find(({ from, to }) => posix.dirname(to) === folder && isIn(folder, from.path));
    if (down === undefined || up === undefined) return [];
    const rule = `imports ${down.to}, but ${up.from.path} imports ${up.to}: the files of a folder itself are its top or its bottom`;
    return [fault(down.from, down.line, rule)];
  });
}

/** Whether the file is in a folder of this folder. */
function isIn(folder: string, path: string): boolean {
  return posix.dirname(path).startsWith(`${folder}/`);
}

function arrowsAmong(files: readonly SourceFile[]): Arrow[] {
  const paths = new Set(files.map(({ path }) => path));
  return files.flatMap((from) =>
    importsOf(from).flatMap(({ specifier, line }) => {
      const path = posix.join(posix.dirname(from.path), specifier).replace(/\.js$/, '.ts');
      const to = [path, `${path}x`].find((one) => paths.has(one));
      return to === undefined ? [] : [{ from, to, line }];
    }),
  );
}

interface Circle {
  readonly members: string[];
  /** Those between its members. */
  readonly arrows: readonly Arrow[];
}

/** The circles of what the files belong to. */
function circlesOf(arrows: readonly Arrow[], ownerOf: (path: string) => string): Circle[] {
  const between = arrows
    .map((arrow) => ({ arrow, from: ownerOf(arrow.from.path), to: ownerOf(arrow.to) }))
    .filter(({ from, to }) => from !== to);
  const targets = new Map<string, Set<string>>();
  for (const { from, to } of between) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  return stronglyConnected(targets).map((members) => ({
    members,
    arrows: between
      .filter(({ from, to }) => members.includes(from) && members.includes(to))
      .map(({ arrow }) => arrow),
  }));
}

/** Components of more than one node, by Tarjan. */
function stronglyConnected(targets: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.size - 1);
    open.push(node);
    for (const next of targets.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const component = open.splice(open.indexOf(node));
    if (component.length > 1) found.push(component.sort());
  };
  for (const node of targets.keys()) if (!order.has(node)) visit(node);
  return found;
}
