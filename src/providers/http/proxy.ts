/** Connections through an HTTP proxy: tunnels to https hosts, and requests with their whole URL to http hosts. */
import { request as overHttp, type RequestOptions } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { type Proxies, proxyTo } from '../../base/proxies.js';
import { CONNECT_TIMEOUT_MS, directConnector } from './connect.js';

/**
 * The proxy could not be reached, or did not let a request through. The message contains no part of the proxy's URL.
 * `status` is the proxy's answer; null if there was none.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'EPROXY';
  readonly status: number | null;

  constructor(status: number | null, cause?: unknown) {
    const what = status === null ? 'cannot be reached' : `answered with status ${status}`;
    super(`the proxy ${what}`, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

/** Connects through the proxies to trusted hosts, whose names the proxy resolves. */
export function proxiedConnector(proxies: Proxies): buildConnector.connector {
  const direct = directConnector();
  return (options, callback) => {
    const proxy = proxyTo(proxies, options);
    if (proxy === null) direct(options, callback);
    else if (options.protocol === 'https:') {
      openTunnel(proxy, authorityOf(options.hostname, options)).then(
        (httpSocket) => direct({ ...options, httpSocket }, callback),
        (error) => callback(error, null),
      );
    } else {
      const { protocol, host, hostname, port } = proxy;
      direct({ protocol, host, hostname, port }, (...[error, socket]) => {
        if (error === null) callback(null, socket);
        else callback(new ProxyError(null, error), null);
      });
    }
  };
}

/**
 * Headers for the proxy that passes a request to the URL on; null if the request goes to the host directly, or through
 * a tunnel.
 */
export function forwardHeaders(proxies: Proxies, url: URL): Readonly<Record<string, string>> | null {
  if (url.protocol !== 'http:') return null;
  const proxy = proxyTo(proxies, url);
  return proxy === null ? null : authorizationOf(proxy);
}

/** `HOST:PORT`, as CONNECT names it. */
export function authorityOf(host: string, { protocol, port }: { protocol: string; port: string }): string {
  const bare = host.replace(/^\[|\]$/g, '');
  const shown = bare.includes(':') ? `[${bare}]` : bare;
  return `${shown}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

/** Connects to `authority` through the proxy. Rejects with ProxyError. */
export function openTunnel(proxy: URL, authority: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const isSecure = proxy.protocol === 'https:';
    const options: RequestOptions = {
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (isSecure ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, 'user-agent': 'byway', ...authorizationOf(proxy) },
      agent: false,
    };
    const request = (isSecure ? overHttps : overHttp)(options);
    const timer = setTimeout(() => request.destroy(new ConnectTimeout()), CONNECT_TIMEOUT_MS);
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      clearTimeout(timer);
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        reject(new ProxyError(statusCode));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(new ProxyError(null, error));
    });
    request.end();
  });
}

class ConnectTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super(`no answer within ${CONNECT_TIMEOUT_MS} ms`);
  }
}

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
