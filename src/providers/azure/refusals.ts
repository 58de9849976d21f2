/** How Azure refuses: `docs/providers/README.md#refusals-that-are-learned-from`. */
import { withQuirk } from '../../catalog/quirks.js';
import type { CallFeature, HostRefusals } from '../../inference/ports/refusals.js';

/** Azure's refusal of a path without a version, which some resources lack. */
const NO_RESOURCE = 'Resource not found';

const API_VERSION = 'api_version';

/** The latest version with a date. */
const LATEST_DATED = '2025-04-01-preview';

/** Formats in whose URLs there is a version. */
const VERSIONED: ReadonlySet<string> = new Set(['chat', 'responses']);

/** The version of a resource's API, in the URL of chats and responses. */
const VERSION: CallFeature = {
  kind: API_VERSION,
  adaptation: 'changed',
  namesIn: ({ format, provider }) =>
    VERSIONED.has(format) && provider.adapter === 'azure' ? [API_VERSION] : [],
  without(call) {
    if (VERSION.namesIn(call).length === 0) return call;
    const endpoint = withQuirk(call.endpoint, 'apiVersion', LATEST_DATED);
    return endpoint === call.endpoint ? call : { ...call, endpoint };
  },
};

export const AZURE_REFUSALS: HostRefusals = {
  unsupportedEndpoint: [
    /operation does not work with the specified model/,
    /requested operation is unsupported/,
    /API deployment for this resource does not exist/,
  ],
  features: [VERSION],
  featureWords: [
    {
      kind: API_VERSION,
      namedIn: (message) => (message === NO_RESOURCE ? { names: [API_VERSION], phrase: null } : undefined),
    },
  ],
};
