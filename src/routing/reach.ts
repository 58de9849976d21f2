/** What of its provider a credential reaches. */
import type { Credential } from '../byok/credential.js';
import { servesModel } from '../byok/served-models.js';
import { regionsCalledWith, regionsOf } from './called-regions.js';
import type { Reach } from './types.js';

/** The reach of a credential. */
export function reachOf(credential: Credential, resolveModelId: (name: string) => string): Reach {
  return {
    regionsFor: regionsCalledWith(credential),
    servesModel: (modelId) => servesModel(credential, modelId, resolveModelId),
  };
}

/** The reach where there is no credential that says anything: all of what the catalogue says. */
export const WHOLE_REACH: Reach = { regionsFor: regionsOf, servesModel: () => true };
