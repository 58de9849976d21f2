import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { newestPrograms } from '../../support/postgres/postgres-cluster.js';
import { FORMS } from './url-forms.js';

/** libpq's own program, which reads the URL before it looks for the server. */
const psql = [`${newestPrograms()}/psql`].find((path) => existsSync(path));

it.runIf(psql !== undefined)('libpq itself takes every URL of PostgreSQL that Byway takes', () => {
  const urls = FORMS.map(([url]) => url);
  const unread = urls
    .filter((url) => !/load_balance|p@ss/.test(url))
    .filter((url) => {
      const here = url
        .replace(/\/\/(?:([^/?]*)@)?[^/?]*/, '//')
        .replace(/host(addr)?=[^&]*/g, 'host=/nowhere');
      try {
        execFileSync(
          psql ?? '',
          [`${here}${here.includes('?') ? '&' : '?'}host=/nowhere&port=1`, '-c', 'select 1'],
          {
            stdio: 'pipe',
            timeout: 10_000,
          },
        );
        return false;
      } catch (error) {
        const said = String((error as { stderr?: Buffer }).stderr);
        return !/connection to server on socket|certificate file|root certificate/.test(said);
      }
    });
  expect(unread).toEqual([]);
});
