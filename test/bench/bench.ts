import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildVariant, type Server, startPeer, startPortkey } from './processes.js';
import { type Subject, startSubject } from './subject.js';

/** What the cases share: a folder, the gateway's data, and servers that end with the run. */
export class Bench {
  readonly folder: string;
  readonly subject: Subject;
  readonly #servers: Server[] = [];

  constructor(folder: string, subject: Subject) {
    this.folder = folder;
    this.subject = subject;
  }

  /** Starts the gateway with its data, after modules that change it, with these settings. */
  async startByway(preloads: string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Server> {
    return this.#keep(await startSubject(this.subject, preloads, undefined, env));
  }

  /**
   * Starts a gateway that has a module in the place of one of its own, with a copy of the data: two processes can't
   * serve from one file. None may serve from it now.
   */
  async startVariant(module: string, replacement: string): Promise<Server> {
    const program = buildVariant(this.folder, module, replacement);
    const dataDir = join(this.folder, 'variant-data');
    cpSync(this.subject.dataDir, dataDir, { recursive: true });
    return this.#keep(await startSubject({ ...this.subject, dataDir }, [], undefined, {}, program));
  }

  /** Starts a peer with its settings. */
  async startPeer(name: string, settings: object): Promise<Server> {
    return this.#keep(await startPeer(name, settings));
  }

  /** Starts the other gateway. */
  async startPortkey(): Promise<Server> {
    return this.#keep(await startPortkey());
  }

  /** Stops all that still runs. */
  async stopServers(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.stop()));
  }

  /** Writes a file for a peer to send, and gives its path. */
  write(name: string, content: string | Uint8Array): string {
    const file = join(this.folder, name);
    writeFileSync(file, content);
    return file;
  }

  #keep(server: Server): Server {
    this.#servers.push(server);
    return server;
  }
}

/** The header that says who calls. */
export function bearer(secret: string): { readonly authorization: string } {
  return { authorization: `Bearer ${secret}` };
}

/** The header of a JSON body. */
export const JSON_BODY = { 'content-type': 'application/json' } as const;

/** The answer to a single request, for a peer to send the same. Throws unless it is a success. */
export async function answerTo(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response;
}
