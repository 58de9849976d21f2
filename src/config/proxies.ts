/** Reads the variables by which programs are commonly told of a proxy. */
import type { Proxies } from '../base/proxies.js';
import { ConfigError } from './error.js';

/** Read in both cases; where both are set the lower case counts, as everywhere. */
export const PROXY_SETTINGS = {
  ALL_PROXY: 'secret',
  HTTPS_PROXY: 'secret',
  HTTP_PROXY: 'secret',
  NO_PROXY: 'open',
  all_proxy: 'secret',
  https_proxy: 'secret',
  http_proxy: 'secret',
  no_proxy: 'open',
} as const;

type ProxySetting = keyof typeof PROXY_SETTINGS;

/**
 * `ALL_PROXY` counts where a scheme has no variable of its own. Throws ConfigError without the value, which may hold a
 * password.
 */
export function readProxies(text: (name: ProxySetting) => string | undefined): Proxies {
  const first = (...names: ProxySetting[]) => {
    const name = names.find((candidate) => text(candidate) !== undefined);
    return name === undefined ? null : proxyUrl(name, text(name) ?? '');
  };
  return {
    https: first('https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'),
    http: first('http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'),
    exempt: (text('no_proxy') ?? text('NO_PROXY') ?? '').split(/[\s,]+/).filter((entry) => entry !== ''),
  };
}

/** Without a scheme it is http. */
function proxyUrl(name: ProxySetting, value: string): URL {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlain(url)) {
    throw new ConfigError(
      `${name} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128 or ` +
        'https://USER:PASSWORD@proxy.example.com:3129 (SOCKS proxies are not supported)',
    );
  }
  return url;
}

/** Whether it is a host alone, and its user name and password can be decoded. */
function isPlain({ pathname, search, hash, username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
  } catch {
    return false;
  }
  return pathname === '/' && search === '' && hash === '';
}
