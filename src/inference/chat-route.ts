import { refusal } from '../routing/refusal.js';
import { type RouterDependencies, route } from '../routing/router.js';
import type { AdmissionDependencies } from './admission.js';
import { attemptsThatReason } from './reasoning/reasoning-refusal.js';

/**
 * Routes chats: the attempts of the plan that can reason as the request demands. Throws a Problem where there is none:
 * `no_endpoint`, `insufficient_credits`, `region_not_allowed`, or a 400.
 */
export function createChatRoute(router: RouterDependencies): AdmissionDependencies['route'] {
  return async ({ body, caller, preferences }, funds, { promptTokensLow: promptTokens }, at) => {
    const { region } = caller;
    const { model = null, models = null } = body;
    const request = { caller, region, body, model, models, preferences, promptTokens };
    const chain = await route(router, request, funds);
    if (chain.attempts.length === 0) throw refusal(chain, { plan: caller.plan, at });
    const attempts = attemptsThatReason(chain.attempts, body, preferences.requireParameters);
    return { attempts, unusableKeys: chain.unusableKeys };
  };
}
