import { Code, ConnectError } from '@connectrpc/connect';
import { GATEWAY } from './gateway.js';
import { storedKey } from './stored-key.js';

/** Stores what a REST operation exports as a file. Rejects with a ConnectError, also where the export breaks off. */
export async function download(path: string, fileName: string, query: URLSearchParams): Promise<void> {
  const answer = await fetch(new URL(`api/v1${path}?${query}`, GATEWAY), {
    headers: { 'x-api-key': storedKey() ?? '' },
  });
  if (!answer.ok) throw await errorIn(answer);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

async function errorIn(answer: Response): Promise<ConnectError> {
  const { error }: { readonly error: { readonly message: string } } = await answer.json();
  const code = answer.status === 401 ? Code.Unauthenticated : Code.FailedPrecondition;
  return new ConnectError(error.message, code);
}
