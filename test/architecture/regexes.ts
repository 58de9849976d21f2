import { parseAst } from 'vite';
import { fault, type SourceFile } from './sources.js';

/** A regular expression as it stands in a source. */
export interface FoundRegex {
  readonly file: SourceFile;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression of the file that is written as one. */
export function regexLiterals(file: SourceFile): FoundRegex[] {
  return nodesOf(file).flatMap((node) => {
    if (node.type !== 'Literal' || typeof node.regex !== 'object' || node.regex === null) return [];
    const { pattern, flags } = node.regex as { pattern: string; flags: string };
    return [{ file, line: lineOf(file, node), source: pattern, flags }];
  });
}

/** Where regular expressions are put together while the program runs. */
export function composedRegexes(file: SourceFile): string[] {
  return nodesOf(file)
    .filter(({ type }) => type === 'NewExpression' || type === 'CallExpression')
    .filter(({ callee }) => (callee as { readonly name?: string } | undefined)?.name === 'RegExp')
    .map((node) => fault(file, lineOf(file, node), 'a composed regular expression'));
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [member: string]: unknown;
}

function nodesOf(file: SourceFile): Node[] {
  const found: Node[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if (isNode(value)) found.push(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(parseAst(file.text, { lang: file.path.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

function isNode(value: object): value is Node {
  return 'type' in value && typeof value.type === 'string' && 'start' in value;
}

function lineOf(file: SourceFile, { start }: Node): number {
  return file.text.slice(0, start).split('\n').length;
}
