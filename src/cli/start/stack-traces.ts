import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

const maps = new Map<string, SourceMap | undefined>();

/**
 * From now on stack traces name the sources of the bundle, as with `--enable-source-maps`. With that flag Node reads
 * every map at the start; here a map is read with the first trace that leads through its file.
 */
export function nameSourcesInStackTraces(): void {
  Error.prepareStackTrace = (error, frames) =>
    [Error.prototype.toString.call(error), ...frames.map((frame) => `    at ${nameSource(frame)}`)].join(
      '\n',
    );
}

function nameSource(frame: NodeJS.CallSite): string {
  const text = String(frame);
  const file = frame.getFileName() ?? '';
  const line = frame.getLineNumber() ?? 0;
  const column = frame.getColumnNumber() ?? 0;
  if (!file.startsWith('file:') || line === 0) return text;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalSource' in entry)) return text;
  const source = fileURLToPath(new URL(entry.originalSource, file));
  return text.replace(
    `${file}:${line}:${column}`,
    `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`,
  );
}

/** Undefined for a file that has none. */
function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(new URL(`${file}.map`)));
  return maps.get(file);
}

function readMap(url: URL): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(url, 'utf8')));
  } catch {
    return undefined;
  }
}
