import type { IncomingHttpHeaders } from 'node:http';

/** A response with an error status, and the text of its body. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The text of a body without structure, as a proxy sends it; undefined for JSON, HTML and an empty body. */
export function plainText(text: string): string | undefined {
  const trimmed = text.trim();
  return /^[<{[]/.test(trimmed) || trimmed === '' ? undefined : trimmed;
}
