/** Rules about the members of a Messages body, which differ by host. */
import type { Rule } from '../rule.js';
import { records, words } from '../values.js';
import { eachTool, type MessagesCall, marksOf, placedBlocks } from './body.js';

const SEEN = '2026-11-26';

/** `MessageCreateParamsBase` of the official client (1.12.0), and sampling, which older models take. */
export const MEMBERS =
  words(`cache_control container diagnostics inference_geo max_tokens messages metadata model output_config
  service_tier speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p
  user_profile_id workspace_id`);

/** Members that only a beta feature has: `BetaMessageCreateParams` of the official client. */
const BETA_MEMBERS: Readonly<Record<string, string>> = {
  context_management: 'context-management-2025-06-27',
  mcp_servers: 'mcp-client-2025-11-20',
};

interface Source {
  readonly source: string;
  readonly sure: Rule['sure'];
}

/** A rule that refuses all members but those, and those of beta features that are asked for. */
export function memberRule(known: ReadonlySet<string>, { source, sure }: Source): Rule {
  return {
    refuses: 'members that the host does not have',
    source,
    seen: SEEN,
    sure,
    violation(body, { betas }) {
      const unknown = Object.keys(body).find(
        (name) => !known.has(name) && !betas.includes(BETA_MEMBERS[name] ?? 'no beta'),
      );
      return unknown && `${unknown}: Extra inputs are not permitted`;
    },
  };
}

export const MAX_TOKENS_RULE: Rule = {
  refuses: 'an answer without a limit of tokens',
  source: '@anthropic-ai/sdk MessageCreateParamsBase',
  seen: SEEN,
  sure: 'typed',
  violation: ({ max_tokens }: MessagesCall) =>
    Number.isInteger(max_tokens) && max_tokens >= 1 ? undefined : 'max_tokens: Field required',
};

/** Refused by hosts of Claude other than Anthropic. */
export function toolMemberRule(member: string, { source, sure }: Source, beta?: string): Rule {
  return {
    refuses: `\`${member}\` of a tool`,
    source,
    seen: SEEN,
    sure,
    violation: (body: MessagesCall, { betas }) =>
      beta !== undefined && betas.includes(beta)
        ? undefined
        : eachTool(body, (tool) =>
            member in tool ? `${member}: Extra inputs are not permitted` : undefined,
          ),
  };
}

export function scopeRule({ source, sure }: Source): Rule {
  return {
    refuses: 'the scope of a mark',
    source,
    seen: SEEN,
    sure,
    violation(body: MessagesCall) {
      const scoped = marksOf(body).find(({ mark }) => mark.scope !== undefined);
      return scoped && `${scoped.at}.ephemeral.scope: Extra inputs are not permitted`;
    },
  };
}

/** Files are stored at Anthropic alone. */
export const FILE_RULE: Rule = {
  refuses: 'files that are stored',
  source: 'https://github.com/genkit-ai/genkit/issues/5813',
  seen: SEEN,
  sure: 'reported',
  violation(body: MessagesCall) {
    const found = placedBlocks(body).find(
      ({ block: { type, source: media } }) => Object(media).type === 'file' || type === 'container_upload',
    );
    return (
      found &&
      `${found.at}.source: Input tag 'file' found using 'type' does not match any of the expected tags`
    );
  },
};

/** Types of tools of the host's own, by how they begin, and with which beta feature alone. */
export function toolTypeRule(
  missing: readonly string[],
  withBeta: readonly (readonly [beginning: string, beta: string])[],
  { source, sure }: Source,
): Rule {
  return {
    refuses: 'tools of types that the host does not have',
    source,
    seen: SEEN,
    sure,
    violation({ tools }: MessagesCall, { betas }) {
      const types = records(tools).map(({ type }) => String(type ?? 'custom'));
      const at = types.findIndex(
        (type) =>
          missing.some((beginning) => type.startsWith(beginning)) ||
          withBeta.some(([beginning, beta]) => type.startsWith(beginning) && !betas.includes(beta)),
      );
      return at === -1
        ? undefined
        : `tools.${at}: Input tag '${types[at]}' found using 'type' does not match any of the expected tags: 'bash_20250124', 'custom', 'text_editor_20250124'`;
    },
  };
}

/** Vertex AI and Bedrock fetch nothing. */
export function urlRule({ source, sure }: Source): Rule {
  return {
    refuses: 'media by their address',
    source,
    seen: SEEN,
    sure,
    violation(body: MessagesCall) {
      const found = placedBlocks(body).find(({ block: { source: media } }) => Object(media).type === 'url');
      return found && `${found.at}.source: URL sources are not supported`;
    },
  };
}

export function versionRule(version: string, source: string): Rule {
  return {
    refuses: `bodies without \`anthropic_version\` ${version}`,
    source,
    seen: SEEN,
    sure: 'documented',
    violation: ({ anthropic_version }: MessagesCall) =>
      anthropic_version === version ? undefined : 'anthropic_version: Field required',
  };
}

export function betaRule(
  isRefused: (beta: string) => boolean,
  say: (refused: readonly string[]) => string,
  { source, sure }: Source,
): Rule {
  return {
    refuses: 'beta features that the host does not know',
    source,
    seen: SEEN,
    sure,
    violation(_body, { betas }) {
      const refused = betas.filter(isRefused);
      return refused.length > 0 ? say(refused) : undefined;
    },
  };
}

export function without(members: ReadonlySet<string>, ...names: readonly string[]): ReadonlySet<string> {
  return new Set([...members].filter((name) => !names.includes(name)));
}

export function plus(members: ReadonlySet<string>, ...names: readonly string[]): ReadonlySet<string> {
  return new Set([...members, ...names]);
}
