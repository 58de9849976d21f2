const TIMEOUT_MS = 60_000;

/** Far larger than the public catalogues. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The text behind the URL. Throws an Error that names the URL without user, password and query, and the reason. */
export async function fetchText(url: string): Promise<string> {
  const shown = URL.canParse(url) ? new URL(url).origin + new URL(url).pathname : 'the URL';
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return await readLimited(response);
  } catch (error) {
    throw new Error(`cannot fetch ${shown}: ${reasonOf(error)}`);
  }
}

async function readLimited(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let count = 0;
  for await (const chunk of response.body ?? []) {
    count += chunk.length;
    if (count > MAX_BYTES) throw new Error(`longer than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The real reason of "fetch failed" is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (!(error.cause instanceof Error)) return error.message;
  return 'code' in error.cause ? String(error.cause.code) : error.cause.message;
}
