import { removeOwnProvider } from '../../catalog/importing/own.js';
import type { Terminal } from '../output/command-line.js';
import { type CommandOutcome, report } from '../output/outcome.js';
import { findingLines, namingVoided } from '../support/rule-findings.js';
import { withGateway } from '../support/with-gateway.js';

/** Removes a provider of the operator's own, with its models, its shared credential and its headers. */
export function removeProvider(terminal: Terminal, slug: string): Promise<CommandOutcome> {
  return withGateway(terminal, async (gateway, { regionHosts }) => {
    const { stores } = gateway;
    const [retired, voided] = await namingVoided(gateway, regionHosts.values(), () =>
      removeOwnProvider(stores.catalog, slug),
    );
    await stores.credentials.deleteShared(slug);
    const models = retired.length === 0 ? 'it had no models of its own' : `and ${retired.join(', ')}`;
    return report({ provider: slug, retired, ...(voided.length > 0 && { voided }) }, [
      `removed ${slug}, ${models}`,
      ...findingLines(voided).map((line) => `warning: ${line}`),
    ]);
  });
}
