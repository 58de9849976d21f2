import { existsSync } from 'node:fs';
import { basename, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { laneOf } from '../../src/catalog/formats.js';
import { ADAPTERS, type AdapterName, type Format, NATIVE_FORMATS } from '../../src/catalog/types.js';
import { bedrock } from '../../src/providers/amazon-bedrock/index.js';
import { anthropic } from '../../src/providers/anthropic/index.js';
import { azure } from '../../src/providers/azure/index.js';
import { AccessTokens } from '../../src/providers/google-vertex/host/token.js';
import { vertex } from '../../src/providers/google-vertex/index.js';
import { createHttp } from '../../src/providers/http/http.js';
import { openAi } from '../../src/providers/openai/index.js';
import { importsOf } from './arrows.js';
import { circles } from './circles.js';
import { readSources, type SourceFile } from './sources.js';

const http = createHttp();
const clock = { now: () => 0 };
const inlineMedia = () => Promise.reject(new Error('nothing is fetched'));
const tokens = new AccessTokens({ http, guardedHttp: http, clock });

/** What each adapter over HTTP has for each format; `demo` plays in process. */
const FORMATS: Readonly<Record<Exclude<AdapterName, 'demo'>, Readonly<Record<Format, unknown>>>> = {
  openai: openAi({ http, inlineMedia }).formats,
  anthropic: anthropic({ http }).formats,
  azure: azure({ http, guardedHttp: http }).formats,
  'amazon-bedrock': bedrock({ http, inlineMedia, clock }).formats,
  'google-vertex': vertex({ http, tokens, inlineMedia }).formats,
};

/** What `demo` speaks beside chats. */
const DEMO: readonly Format[] = ['completions', 'embeddings', 'rerank'];

/** The file of each job, and what is exported of it. */
const JOBS: Readonly<Record<string, RegExp>> = {
  'codec.ts': /^export (?:const|function) \w*(?:Codecs?\b|OverMessages\b)/m,
  'request.ts': /^export (?:async )?function \w*(?:Request|requestBody|messagesBody|converseBody)\b/m,
  'answer.ts': /^export function (?:read\w*Answer|nativeAnswer)\b/m,
  'events.ts': /^export class (?!Choice)\w*(?:Reader|Events)\b/m,
  'usage.ts': /^export (?:function (?:usageOf|readCount)|class \w*Usage\w*)\b/m,
};

const FORMAT_FOLDER = new RegExp(`^src/providers/[^/]+/(?:chat|${NATIVE_FORMATS.join('|')})/`);

describe('a provider is a table of codecs', () => {
  it.each(Object.entries(FORMATS))(
    '%s makes the requests of its formats in a folder for each',
    (name, formats) => {
      for (const [format, codec] of Object.entries(formats)) {
        const hasRequest = existsSync(`src/providers/${name}/${format}/request.ts`);
        const isOthers = !existsSync(`src/providers/${name}/${format}`);
        expect([format, hasRequest]).toEqual([format, codec !== null && !isOthers]);
      }
    },
  );

  it('what an endpoint may speak, its adapter has a codec for, and the reverse', () => {
    for (const adapter of ADAPTERS) {
      for (const format of NATIVE_FORMATS) {
        const lane = laneOf(format, { formats: [format] }, { adapter });
        const has = adapter === 'demo' ? DEMO.includes(format) : FORMATS[adapter][format] !== null;
        expect([adapter, format, lane]).toEqual([adapter, format, has ? 'native' : 'translated']);
      }
    }
  });

  it('the same job has the same file name in the folder of every format', () => {
    expect(
      readSources('src/providers')
        .filter(({ path }) => FORMAT_FOLDER.test(path))
        .flatMap(misplaced),
    ).toEqual([]);
  });

  it('no folders import each other', () => {
    expect(circles(folders(readSources('src/providers')))).toEqual([]);
  });
});

describe('the guard notices', () => {
  it('a job in another file', () => {
    const text = 'export class ChunkReader {}';
    expect(misplaced({ path: 'src/providers/x/chat/chunks.ts', text })).toEqual([
      'src/providers/x/chat/chunks.ts: belongs into events.ts',
    ]);
    expect(misplaced({ path: 'src/providers/x/chat/events.ts', text })).toEqual([]);
  });

  it('a circle of folders without one of files', () => {
    const files = [
      { path: 'src/a/one.ts', text: "import { two } from './b/two.js';" },
      { path: 'src/a/b/two.ts', text: '' },
      { path: 'src/a/b/three.ts', text: "import { four } from '../four.js';" },
      { path: 'src/a/four.ts', text: '' },
    ];
    expect(circles(files)).toEqual([]);
    expect(circles(folders(files))).toEqual([['src/a.ts', 'src/a/b.ts']]);
  });
});

function misplaced({ path, text }: SourceFile): string[] {
  return Object.entries(JOBS).flatMap(([file, exported]) =>
    exported.test(text) && basename(path) !== file ? [`${path}: belongs into ${file}`] : [],
  );
}

/** Each folder as one file, which imports those that its files import. */
function folders(files: readonly SourceFile[]): SourceFile[] {
  const texts = new Map<string, string>();
  for (const file of files) {
    const folder = posix.dirname(file.path);
    const others = importsOf(file)
      .map(({ specifier }) => posix.dirname(posix.join(folder, specifier)))
      .filter((other) => other !== folder);
    const lines = others.map((other) => {
      const to = posix.relative(posix.dirname(folder), posix.dirname(other));
      return `import '${posix.join(to, posix.basename(other))}.js';`;
    });
    texts.set(folder, [texts.get(folder) ?? '', ...lines].join('\n'));
  }
  return [...texts].map(([folder, text]) => ({ path: `${folder}.ts`, text }));
}
