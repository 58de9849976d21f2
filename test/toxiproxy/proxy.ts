/** Toxiproxy (https://github.com/Shopify/toxiproxy), whose API is described in its README. */
import { expect } from 'vitest';

/** A kind of damage, with its attributes: latencies and timeouts in ms, rates in KB/s, sizes in bytes. */
export type Toxic =
  | { readonly type: 'latency'; readonly latency: number; readonly jitter: number }
  | { readonly type: 'bandwidth'; readonly rate: number }
  | {
      readonly type: 'slicer';
      readonly average_size: number;
      readonly size_variation: number;
      readonly delay: number;
    }
  | { readonly type: 'limit_data'; readonly bytes: number }
  | { readonly type: 'reset_peer'; readonly timeout: number }
  | { readonly type: 'timeout'; readonly timeout: number };

/** A proxy in front of a server. */
export interface Proxied {
  /** The server's origin, through the proxy. */
  readonly origin: string;
  /** Damages what the server sends, or what it is sent; also on connections that are open. */
  poison(toxic: Toxic, stream?: 'downstream' | 'upstream'): Promise<void>;
  /** Closes all connections and refuses new ones, or accepts them again. */
  enable(enabled: boolean): Promise<void>;
}

/** A new proxy in front of an origin; `api` is the root of a running Toxiproxy. */
export async function proxyTo(api: string, name: string, origin: string): Promise<Proxied> {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${api}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const text = await answer.text();
    expect([answer.ok, text]).toEqual([true, expect.anything()]);
    return JSON.parse(text) as { readonly listen: string };
  };
  const upstream = new URL(origin).host;
  const { listen } = await post('/proxies', { name, listen: '127.0.0.1:0', upstream, enabled: true });
  return {
    origin: `http://${listen}`,
    async poison({ type, ...attributes }, stream = 'downstream') {
      await post(`/proxies/${name}/toxics`, { type, stream, toxicity: 1, attributes });
    },
    async enable(enabled) {
      await post(`/proxies/${name}`, { listen, upstream, enabled });
    },
  };
}
