import type { CallOptions } from '@connectrpc/connect';
import { BatchStatus } from '../../../gen/byway/v1/batches_pb.js';
import type { ByokKey } from '../../../gen/byway/v1/byok_pb.js';
import { type Byway, createByway } from '../../../src/client/index.js';
import { GEMINI } from '../../batch/world.js';
import type { FakeGoogle } from '../../support/fakes/fake-google-storage.js';
import type { TestAccount, TestGateway } from '../../support/gateway.js';
import { callerOptions } from '../../support/in-process.js';

type Input<F> = F extends (request: infer I, options?: CallOptions) => unknown ? NonNullable<I> : never;

/** What a case starts from: an account of its own, and what it prepares in it. */
export class World {
  readonly account: TestAccount;
  readonly byway: Byway;
  readonly #gateway: TestGateway;
  readonly #google: FakeGoogle | null;

  private constructor(gateway: TestGateway, google: FakeGoogle | null, account: TestAccount) {
    this.#gateway = gateway;
    this.#google = google;
    this.account = account;
    this.byway = createByway(gateway.gateway.transport);
  }

  /** Nano-USD of credits; 10 USD when left out. */
  static async begin(gateway: TestGateway, google: FakeGoogle | null, credits?: bigint): Promise<World> {
    return new World(gateway, google, await gateway.addAccount(credits === undefined ? {} : { credits }));
  }

  /** Options that make a call in process one of the account's management key, or of the secret. */
  as(secret = this.account.managementKey): Promise<CallOptions> {
    return callerOptions(this.#gateway, secret);
  }

  /**
   * A new API key, as `{hash, secret}`. What is prepared later was created later, so that the order of lists is
   * known.
   */
  async addKey(wanted: Partial<Input<Byway['keys']['create']>> = {}, secret?: string) {
    await nextMillisecond();
    const { data, key } = await this.byway.keys.create(
      { name: 'Prepared', ...wanted },
      await this.as(secret),
    );
    return { hash: data?.hash ?? '', secret: key };
  }

  /** A new client application. */
  async addClient(name = 'Prepared client', userId?: string) {
    await nextMillisecond();
    const wanted = userId === undefined ? { name } : { name, userId };
    const { data, clientSecret } = await this.byway.clients.create(wanted, await this.as());
    return { id: data?.id ?? '', secret: clientSecret };
  }

  /** A new BYOK key; a credential such as `demo-status-429-x` chooses how it answers. */
  async addByokKey(wanted: Partial<Input<Byway['byok']['create']>> = {}): Promise<ByokKey> {
    const request = { provider: 'a', key: 'demo-echo-1234567890', ...wanted };
    await nextMillisecond();
    const { data } = await this.byway.byok.create(request, await this.as());
    if (data === undefined) throw new Error('no record');
    return data;
  }

  /** A new workspace: its identifier. */
  async addWorkspace(slug = 'prepared'): Promise<string> {
    await nextMillisecond();
    const { data } = await this.byway.workspaces.create({ name: 'Prepared', slug }, await this.as());
    return data?.id ?? '';
  }

  /** A new guardrail: its identifier. */
  async addGuardrail(wanted: Partial<Input<Byway['guardrails']['create']>> = {}): Promise<string> {
    await nextMillisecond();
    const { data } = await this.byway.guardrails.create({ name: 'Prepared', ...wanted }, await this.as());
    return data?.id ?? '';
  }

  /** A new BYOK key of Google Vertex AI, whose batches the fake Google runs. */
  async addVertexKey(): Promise<ByokKey> {
    if (this.#google === null) throw new Error('no local Google');
    return this.addByokKey({ provider: 'google-vertex', key: this.#google.serviceAccount() });
  }

  /** A batch that has ended, one of its two requests without an answer: its identifier. */
  async addBatch(): Promise<string> {
    await this.addVertexKey();
    const { data } = await this.byway.batches.create(
      batchOf('Hello', 'This cannot be answered'),
      await this.as(),
    );
    const id = data?.id ?? '';
    for (;;) {
      const { data: now } = await this.byway.batches.get({ id }, await this.as());
      if (now?.status === BatchStatus.COMPLETED) return id;
    }
  }

  /** A finished chat with the account's API key: the identifier of its generation. */
  /** As if the generation were from before receipts were kept. */
  async dropReceipt(id: string): Promise<void> {
    await this.#gateway.gateway.database.transact([], (tx) =>
      tx.updateTable('generation').set({ terms_id: null }).where('id', '=', id).execute(),
    );
  }

  async addGeneration(model = 'test/m1'): Promise<string> {
    const messages = [{ role: 'user', content: { form: { case: 'text', value: 'Hi' } } } as const];
    const options = await this.as(this.account.apiKey);
    await nextMillisecond();
    const { id } = await this.byway.chat.create({ chat: { model, messages } }, options);
    return id;
  }
}

/** A batch of requests with these contents. */
export function batchOf(...contents: string[]) {
  return {
    model: GEMINI,
    requests: contents.map((value, index) => ({
      customId: `request ${index}`,
      body: { messages: [{ role: 'user', content: { form: { case: 'text', value } } } as const] },
    })),
  };
}

async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => setTimeout(resolve, 1));
}
