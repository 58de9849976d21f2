import type { IconName } from './ui/icons.js';

/** A page that the sidebar leads to. */
export interface NavigationEntry {
  /** First segment of its place; empty for the overview. */
  readonly segment: string;
  readonly title: string;
  readonly icon: IconName;
  /** Whether a gap above separates it. */
  readonly startsGroup?: boolean;
}

/** The pages in the order of the sidebar. */
export const DESTINATIONS: readonly NavigationEntry[] = [
  { segment: '', title: 'Overview', icon: 'overview' },
  { segment: 'generations', title: 'Generations', icon: 'generations' },
  { segment: 'models', title: 'Models', icon: 'models' },
  { segment: 'keys', title: 'API keys', icon: 'keys', startsGroup: true },
  { segment: 'provider-keys', title: 'Provider keys', icon: 'byok' },
  { segment: 'routing', title: 'Explain a route', icon: 'routing' },
  { segment: 'guardrails', title: 'Guardrails', icon: 'guardrails', startsGroup: true },
  { segment: 'workspaces', title: 'Workspaces', icon: 'workspaces' },
  { segment: 'clients', title: 'Client applications', icon: 'clients' },
  { segment: 'preferences', title: 'Preferences & privacy', icon: 'preferences' },
];
