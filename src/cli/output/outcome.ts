/** The output of a command, for people and for programs. Both texts end with a line break. */
export interface CommandOutcome {
  readonly text: string;
  /** One JSON document. */
  readonly json: string;
  /** Whether the command found failures: it exits with 1 then. */
  readonly failed: boolean;
}

/** An outcome of one document and the same as lines of text. */
export function report(document: object, lines: readonly string[], failed = false): CommandOutcome {
  return { json: `${JSON.stringify(document)}\n`, text: lines.map((line) => `${line}\n`).join(''), failed };
}

/** Lines of names and values, the values aligned. */
export function aligned(pairs: readonly (readonly [name: string, value: string])[]): string[] {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}
