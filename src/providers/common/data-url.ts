/** Reads data URLs (RFC 2397), for hosts that take bytes instead. */
import type { UpstreamFailure } from '../../inference/ports/failure.js';

export interface InlineData {
  /** In lower case; empty if the URL has none. */
  readonly mediaType: string;
  readonly base64: string;
}

/** Longer than any media type with its parameters. Without a comma within this length a text is not a data URL. */
const MAX_HEAD_CHARACTERS = 1024;

const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** Maximum of percent-encoded text, which is decoded at once. Larger media are in base64. */
const MAX_ESCAPED_CHARACTERS = 1024 * 1024;

/**
 * The content of a data URL; undefined for any other text. Throws the result of `refuse` for content that can't be
 * read.
 */
export function readDataUrl(url: string, refuse: (what: string) => UpstreamFailure): InlineData | undefined {
  const [head, mediaType = '', parameters = ''] = HEAD.exec(url.slice(0, MAX_HEAD_CHARACTERS)) ?? [];
  if (head === undefined) return undefined;
  const data = url.slice(head.length);
  return {
    mediaType: mediaType.toLowerCase(),
    base64: /;base64$/i.test(parameters) ? data : Buffer.from(unescaped(data, refuse)).toString('base64'),
  };
}

function unescaped(data: string, refuse: (what: string) => UpstreamFailure): string {
  if (data.length > MAX_ESCAPED_CHARACTERS) throw refuse('a data URL of so much escaped text');
  try {
    return decodeURIComponent(data);
  } catch {
    throw refuse('a data URL with a broken escape');
  }
}
