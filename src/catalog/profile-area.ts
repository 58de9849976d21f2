/**
 * Areas of Bedrock's inference profiles: a call of `eu.anthropic.claude-...` goes to one region of the area and may be
 * served in any of them. An area itself has no host to call.
 */
import type { Endpoint, Provider } from './types.js';

interface Area {
  /** The region to call for credentials without a region. */
  readonly defaultRegion: string;
  /** The regions in which it can be called. */
  readonly regions: RegExp;
}

const AREAS: ReadonlyMap<string, Area> = new Map([
  ['global', { defaultRegion: 'us-east-1', regions: /./ }],
  ['us', { defaultRegion: 'us-east-1', regions: /^us-(?!gov-)/ }],
  ['us-gov', { defaultRegion: 'us-gov-west-1', regions: /^us-gov-/ }],
  ['ca', { defaultRegion: 'ca-central-1', regions: /^ca-/ }],
  ['eu', { defaultRegion: 'eu-central-1', regions: /^eu-/ }],
  ['apac', { defaultRegion: 'ap-northeast-1', regions: /^ap-/ }],
  ['jp', { defaultRegion: 'ap-northeast-1', regions: /^ap-/ }],
  ['au', { defaultRegion: 'ap-southeast-2', regions: /^ap-/ }],
]);

/** The area of a Bedrock endpoint, by its model id, else by its `region`; null for an endpoint in a single region. */
export function profileAreaOf(
  { upstreamModelId, region }: Pick<Endpoint, 'upstreamModelId' | 'region'>,
  { adapter }: Pick<Provider, 'adapter'>,
): string | null {
  if (adapter !== 'amazon-bedrock') return null;
  const [, prefix = ''] = /(?:^|\/)([a-z-]+)\.[^/]*$/.exec(upstreamModelId) ?? [];
  if (AREAS.has(prefix)) return prefix;
  return region !== null && AREAS.has(region) ? region : null;
}

/** The default region of an area; a name that is not an area is the region itself. */
export function callableRegion(named: string): string {
  return AREAS.get(named)?.defaultRegion ?? named;
}

/** Whether a profile of the area can be called in the region; the area's own name means its default region. */
export function isCallableIn(area: string, region: string): boolean {
  return region === area || AREAS.get(area)?.regions.test(region) === true;
}
