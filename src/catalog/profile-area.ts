/**
 * Areas of Bedrock's inference profiles: a call of `eu.anthropic.claude-...` goes to one region of the area and may be
 * answered in any of them. An area is no region: nothing can be called there (interface sections 4 and 7).
 */
import type { Endpoint, Provider } from './types.js';

/** What an area consists of. */
interface Area {
  /** Where it is called unless a credential has a region of its own. */
  readonly defaultRegion: string;
  /** The regions that it can be called in. */
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

/** The area of a Bedrock endpoint: what its model id says, else its `region`; null when it is called and answered in one region. */
export function profileAreaOf(
  { upstreamModelId, region }: Pick<Endpoint, 'upstreamModelId' | 'region'>,
  { adapter }: Pick<Provider, 'adapter'>,
): string | null {
  if (adapter !== 'amazon-bedrock') return null;
  const [, prefix = ''] = /(?:^|\/)([a-z-]+)\.[^/]*$/.exec(upstreamModelId) ?? [];
  if (AREAS.has(prefix)) return prefix;
  return region !== null && AREAS.has(region) ? region : null;
}

/** The region to call for what may be the name of an area; any other name is a region itself. */
export function callableRegion(named: string): string {
  return AREAS.get(named)?.defaultRegion ?? named;
}

/** Whether a profile of the area can be called in the region; the area itself stands for its default region. */
export function isCallableIn(area: string, region: string): boolean {
  return region === area || AREAS.get(area)?.regions.test(region) === true;
}
