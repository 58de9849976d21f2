/** How many cache points a request may have, and in which order: https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members } from '../../../formats/json.js';
import type { Block } from './block.js';

const MAX_CACHE_POINTS = 4;

/**
 * The request with no more cache points than Converse takes, and none of an hour after one of five minutes, which Anthropic's
 * models refuse, or at models that keep none so long. The first point is kept, which other conversations share, and the last
 * ones, which this one goes on from.
 */
export function withTakenCachePoints(
  body: JsonObject,
  takesHours: boolean,
  onChanged: () => void,
): JsonObject {
  const points = [...pointsIn(body)];
  const kept = new Set(
    points.length > MAX_CACHE_POINTS
      ? [points[0], ...points.slice(points.length - MAX_CACHE_POINTS + 1)]
      : points,
  );
  const firstShort = points.find((point) => kept.has(point) && !isHour(point));
  const isAfterShort = firstShort && new Set(points.slice(points.indexOf(firstShort)));
  const isTaken = (point: Block) =>
    kept.has(point) && !(isHour(point) && (!takesHours || isAfterShort?.has(point)));
  if (points.every(isTaken)) return body;
  onChanged();
  const taken = (block: unknown): unknown[] => {
    if (!isPoint(block) || isTaken(block)) return [block];
    return kept.has(block) ? [{ cachePoint: { type: 'default' } }] : [];
  };
  return changed(body, taken);
}

/** In the order of the prompt: tools, system, turns. */
function* pointsIn({ toolConfig, system, messages }: JsonObject): Generator<Block> {
  yield* elements(members(toolConfig).tools).filter(isPoint);
  yield* elements(system).filter(isPoint);
  for (const turn of elements(messages)) yield* elements(members(turn).content).filter(isPoint);
}

function isPoint(block: unknown): block is Block {
  return isObject(block) && block.cachePoint !== undefined;
}

function isHour({ cachePoint }: Block): boolean {
  return members(cachePoint).ttl === '1h';
}

function changed(body: JsonObject, taken: (block: unknown) => unknown[]): JsonObject {
  const { toolConfig, system, messages } = body;
  return {
    ...body,
    messages: elements(messages)
      .map(members)
      .map((turn) => ({ ...turn, content: elements(turn.content).flatMap(taken) })),
    ...(system !== undefined && { system: elements(system).flatMap(taken) }),
    ...(isObject(toolConfig) && {
      toolConfig: { ...toolConfig, tools: elements(toolConfig.tools).flatMap(taken) },
    }),
  };
}
