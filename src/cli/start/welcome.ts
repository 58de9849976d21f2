import type { FirstStart } from './first-start.js';

/** The message of the very first start: the keys and what to try, or where the keys are. */
export function welcome({ keys, file }: FirstStart, url: string): string {
  return file === null ? withKeys(keys, url) : withFile(file, url);
}

function withKeys({ apiKey, managementKey, operatorKey }: FirstStart['keys'], url: string): string {
  return `
Byway is ready at ${url}. This is its first start, so it has made a demo account with 10 USD of credits.
Its keys are shown this once:

  API key         ${apiKey}
  management key  ${managementKey}
  operator key    ${operatorKey}

The dashboard is at ${url}/; the management key opens it. The operator key is for ${url}/metrics.

Try:

  curl '${url}/api/v1/models/user?limit=3' -H 'Authorization: Bearer ${apiKey}'

  curl ${url}/api/v1/byok -H 'Authorization: Bearer ${managementKey}' \\
    -H 'Content-Type: application/json' -d '{"provider": "demo", "key": "demo-my-own-key", "name": "My key"}'

  curl ${url}/api/v1/chat/completions -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' -d '{"model": "demo/echo", "messages": [{"role": "user", "content": "Hello"}]}'

`;
}

function withFile(file: string, url: string): string {
  return `
Byway is ready at ${url}. This is its first start, so it has made a demo account with 10 USD of credits.
Its keys are in ${file}, which this user alone can read. Put them where you keep secrets, then delete the file.

`;
}
