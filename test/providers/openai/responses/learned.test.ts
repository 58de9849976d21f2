import { describe, expect, it } from 'vitest';
import { Adaptations } from '../../../../src/inference/attempts/adaptation.js';
import { AdaptedMembers } from '../../../../src/inference/attempts/adapted-members.js';
import type { UpstreamCall } from '../../../../src/inference/ports/adapter.js';
import type { UpstreamFailure } from '../../../../src/inference/ports/failure.js';
import type { Attempt } from '../../../../src/routing/types.js';
import { NOW } from '../../../support/chat.js';
import type { ResponsesCall } from '../../../support/fakes/fake-openai/responses.js';
import { REFUSALS } from '../../../support/refusals.js';
import { startResponses } from './native.fixture.js';

const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' };
const user = { type: 'message', role: 'user', content: 'Hi' };
const said = { type: 'message', id: 'msg_1', role: 'assistant', content: 'Hello' };

const refusal = (message: string, code: string | null, param: string | null) => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param, code } },
});

/** A host that refuses what `isRefused` is true of, and attempts at it that are adapted. */
async function startLearning(isRefused: (body: ResponsesCall) => boolean, answer: object) {
  const started = await startResponses();
  const adaptations = new Adaptations({ now: () => NOW }, REFUSALS);
  const ask = async (body: object) => {
    const call = started.call({ body: body as never, model: 'gpt-5' });
    started.fake.plan('gpt-5', ((sent: ResponsesCall) => (isRefused(sent) ? answer : {})) as never);
    const adapted = new AdaptedMembers('responses');
    const before = started.fake.requests.length;
    await adaptations.run({ ...call, key: null } as unknown as Attempt, {
      accountId: 'a',
      mayAdapt: true,
      make: (change) => started.adapter.complete(change(call as UpstreamCall) as never),
      failureOf: (thrown) => thrown as UpstreamFailure,
      adapted,
    });
    return { adapted: adapted.all, requests: started.fake.requests.length - before, sent: started.sent() };
  };
  return { ask };
}

describe('what a host refuses is left out', () => {
  it('encrypted reasoning that is another organisation’s, once, with the ids of what it led to', async () => {
    const hasReasoning = ({ input }: ResponsesCall) => JSON.stringify(input).includes('"reasoning"');
    const words =
      'The encrypted content gAAA...DQ== could not be verified. Reason: Encrypted content could not be decrypted or parsed.';
    const { ask } = await startLearning(hasReasoning, refusal(words, 'invalid_encrypted_content', null));
    const first = await ask({ input: [user, reasoning, said, user] });
    expect(first).toMatchObject({ adapted: ['reasoning'], requests: 2 });
    expect(first.sent.input).toEqual([user, { type: 'message', role: 'assistant', content: 'Hello' }, user]);
    // Nothing is learned: the next conversation may be the host's own.
    expect(await ask({ input: [user, reasoning, said, user] })).toMatchObject({ requests: 2 });
  });

  it('ids of items whose reasoning it knows and the client no longer has, once', async () => {
    // https://github.com/openai/codex/issues/5990
    const words =
      "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.";
    const hasIds = ({ input }: ResponsesCall) => JSON.stringify(input).includes('"msg_1"');
    const { ask } = await startLearning(hasIds, refusal(words, null, 'input'));
    const first = await ask({ input: [user, said, user] });
    expect(first).toMatchObject({ adapted: ['reasoning'], requests: 2 });
    expect(first.sent.input).toEqual([user, { type: 'message', role: 'assistant', content: 'Hello' }, user]);
    expect(await ask({ input: [user, said, user] })).toMatchObject({ requests: 2 });
  });

  it.each<[string, object, string, string | null, string, string]>([
    [
      'encrypted reasoning that the model does not give',
      { include: ['reasoning.encrypted_content'] },
      'Encrypted content is not supported with this model.',
      null,
      'include',
      'include',
    ],
    [
      'summaries that the organisation is not given',
      { reasoning: { effort: 'low', summary: 'auto' } },
      'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general',
      'unsupported_value',
      'reasoning.summary',
      'reasoning.summary',
    ],
    [
      'how long caches are kept',
      { prompt_cache_retention: '24h' },
      "Unsupported parameter: 'prompt_cache_retention' is not supported with this model.",
      'unsupported_parameter',
      'prompt_cache_retention',
      'prompt_cache_retention',
    ],
  ])('%s, from then on', async (_, members, words, code, param, told) => {
    const [name = ''] = Object.keys(members);
    const isRefused = (body: ResponsesCall) =>
      name === 'reasoning' ? body.reasoning?.summary !== undefined : body[name] !== undefined;
    const { ask } = await startLearning(isRefused, refusal(words, code, param));
    expect(await ask(members)).toMatchObject({ adapted: [told], requests: 2 });
    const second = await ask(members);
    expect(second).toMatchObject({ adapted: [told], requests: 1 });
    if (name === 'reasoning') expect(second.sent.reasoning).toEqual({ effort: 'low' });
  });
});
