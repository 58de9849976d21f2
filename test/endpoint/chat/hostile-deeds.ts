/** What a hostile account may do to an endpoint of shared capacity that others use too. */
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';

/** What an ordinary request asks for. */
export const MEMBERS = {
  ...{ temperature: 0.2, top_p: 0.9, top_k: 5, seed: 7, stop: ['END'], max_tokens: 50 },
  ...{ frequency_penalty: 0.1, presence_penalty: 0.1, reasoning_effort: 'low', user: 'u', verbosity: 'low' },
};

export const refusing = (message: string, more: object = {}): FakePlan => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } },
});

/** What a hostile account asks, and what `alpha` answers to it. */
export interface Deed {
  readonly does: string;
  readonly asks: object;
  readonly answers: readonly FakePlan[];
}

const ECHOED = 'x requested operation is unsupported';
/** What `alpha` takes of them. */
const { top_k: _, ...TAKEN } = MEMBERS;
const MANY = Object.keys(TAKEN).join(', ');

export const DEEDS: readonly Deed[] = [
  {
    does: 'sends a value that is refused',
    asks: { temperature: 1.9 },
    answers: [
      refusing("Unsupported value: 'temperature' does not support 1.9 with this model.", {
        param: 'temperature',
      }),
    ],
  },
  {
    does: 'sends a member that is refused',
    asks: { seed: 1 },
    answers: [refusing("Unsupported parameter: 'seed' is not supported with this model.", { param: 'seed' })],
  },
  {
    does: 'has words about the endpoint repeated to it',
    asks: { stop: [ECHOED] },
    answers: [`Invalid value: '${ECHOED}'`, `Invalid value: ${ECHOED}`, ECHOED].map((words) =>
      refusing(words),
    ),
  },
  {
    does: 'has words about many members repeated to it',
    asks: { ...TAKEN, stop: [`Unrecognized request arguments supplied: ${MANY}`] },
    answers: [refusing(`Unrecognized request arguments supplied: ${MANY}`)],
  },
  {
    does: 'is refused many members at once',
    asks: TAKEN,
    answers: [refusing(`Unrecognized request arguments supplied: ${MANY}`)],
  },
  {
    does: 'is refused stream_options',
    asks: { stream: true },
    answers: [refusing('Unrecognized request argument supplied: stream_options')],
  },
  {
    does: 'is refused the spelling of its token limit',
    asks: { max_tokens: 5 },
    answers: [refusing("Unsupported parameter: 'max_tokens' is not supported with this model.")],
  },
  {
    does: 'meets a 429 with Retry-After',
    asks: {},
    answers: [{ status: 429, headers: { 'retry-after': '60' } }],
  },
  {
    does: 'meets an endpoint that can’t answer',
    asks: {},
    answers: [refusing('This model is only supported in v1/responses and not in v1/chat/completions.')],
  },
  { does: 'meets failures', asks: {}, answers: Array.from({ length: 4 }, () => ({ status: 500 })) },
  {
    does: 'meets refused credentials',
    asks: {},
    answers: Array.from({ length: 4 }, () => ({ status: 401 })),
  },
  {
    does: 'pins the endpoint, and meets failures',
    asks: { provider: { only: ['alpha'], allow_fallbacks: false } },
    answers: Array.from({ length: 4 }, () => ({ status: 503 })),
  },
  {
    does: 'waits for no first byte',
    asks: { stream: true, provider: { timeouts_ms: { first_byte: 30 } } },
    answers: Array.from({ length: 4 }, () => ({ delayMs: 150 })),
  },
];

/** What `alpha` answers to the deed: a refusal once, and then as usual; a failure until it is told otherwise. */
export function plansFor(answer: FakePlan): readonly FakePlan[] {
  return answer.status === 400 ? [answer, {}] : [answer];
}
