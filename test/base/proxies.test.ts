import { describe, expect, it } from 'vitest';
import { proxyTo } from '../../src/base/proxies.js';
import { ConfigError, readConfig } from '../../src/config/config.js';

const proxiesOf = (env: Record<string, string>) => readConfig(env).proxies;

describe('the proxy of a URL', () => {
  it.each([
    [{}, null, null],
    [{ HTTPS_PROXY: 'http://up:3128' }, 'http://up:3128/', null],
    [{ HTTP_PROXY: 'http://up:3128' }, null, 'http://up:3128/'],
    [{ https_proxy: 'http://low:1', HTTPS_PROXY: 'http://up:1' }, 'http://low:1/', null],
    [{ https_proxy: '', HTTPS_PROXY: 'http://up:1' }, 'http://up:1/', null],
    [{ ALL_PROXY: 'http://all:1', http_proxy: 'http://low:1' }, 'http://all:1/', 'http://low:1/'],
    [{ all_proxy: 'up.example:3128' }, 'http://up.example:3128/', 'http://up.example:3128/'],
    [{ HTTPS_PROXY: 'https://user:p%40ss@up.example:8443' }, 'https://user:p%40ss@up.example:8443/', null],
  ])('comes from %j', (env, https, http) => {
    const proxies = proxiesOf(env);
    expect(proxyTo(proxies, new URL('https://host.example/'))?.href ?? null).toBe(https);
    expect(proxyTo(proxies, new URL('http://host.example/'))?.href ?? null).toBe(http);
  });

  it.each([
    ['HTTPS_PROXY', 'socks5://user:hidden@up:1080'],
    ['http_proxy', 'http://up:3128/path'],
    ['ALL_PROXY', 'http://user:%zz-hidden@up:3128'],
    ['HTTPS_PROXY', 'http://'],
  ])(
    'that %s=%s names ends the start with the name of the variable, and without its value',
    (name, value) => {
      const read = () => readConfig({ [name]: value });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(new RegExp(`^${name} must be the URL of an HTTP proxy`));
      expect(read).not.toThrow(/hidden/);
    },
  );
});

describe('NO_PROXY', () => {
  it.each([
    ['*', 'https://host.example/', true],
    ['host.example', 'https://host.example/', true],
    ['host.example', 'https://HOST.example./', true],
    ['.host.example', 'https://host.example/', true],
    ['host.example', 'https://a.b.host.example/', true],
    ['.host.example', 'https://a.host.example/', true],
    ['*.host.example', 'https://a.host.example/', true],
    ['host.example.', 'https://a.host.example/', true],
    ['host.example', 'https://nothost.example/', false],
    ['host.example', 'https://host.example.org/', false],
    ['other.example, host.example', 'https://host.example/', true],
    ['other.example host.example', 'https://host.example/', true],
    ['host.example:443', 'https://host.example/', true],
    ['host.example:8443', 'https://host.example/', false],
    ['host.example:8443', 'https://host.example:8443/', true],
    ['localhost', 'http://localhost:11434/', true],
    ['127.0.0.1', 'http://127.0.0.1:1/', true],
    ['127.0.0.1', 'http://127.0.0.2:1/', false],
    ['0.0.1', 'http://127.0.0.1:1/', false],
    ['10.0.0.0/8', 'http://10.20.30.40/', true],
    ['10.0.0.0/8', 'http://11.20.30.40/', false],
    ['192.168.0.0/16', 'http://192.168.7.1:8000/', true],
    ['10.0.0.0/99', 'http://10.0.0.1/', false],
    ['::1', 'http://[::1]:1/', true],
    ['[::1]', 'http://[::1]:1/', true],
    ['[::1]:1', 'http://[::1]:1/', true],
    ['[::1]:2', 'http://[::1]:1/', false],
    ['fd00::/8', 'http://[fd12::1]/', true],
    ['fd00::/8', 'http://[fe80::1]/', false],
    ['', 'https://host.example/', false],
  ])('%j and %s: called without the proxy is %s', (exempt, url, isDirect) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const proxies = proxiesOf({ ALL_PROXY: 'http://up:1', [name]: exempt });
      expect(proxyTo(proxies, new URL(url)) === null).toBe(isDirect);
    }
  });
});
