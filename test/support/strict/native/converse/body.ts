import { type JsonRecord, record, records } from '../values.js';

export interface ConverseBody {
  readonly messages?: readonly JsonRecord[];
  readonly system?: readonly JsonRecord[];
  readonly inferenceConfig?: JsonRecord;
  readonly toolConfig?: JsonRecord;
  readonly additionalModelRequestFields?: JsonRecord;
}

export interface PlacedBlock {
  readonly at: string;
  readonly block: JsonRecord;
  /** `user` or `assistant`; `result` for what is inside the result of a tool. */
  readonly role: string;
}

export function contentOf(turn: JsonRecord | undefined): readonly JsonRecord[] {
  return records(turn?.content);
}

export function turnsOf({ messages }: ConverseBody): readonly JsonRecord[] {
  return records(messages);
}

/** Every block of the turns, those inside results too. */
export function placedBlocks(body: ConverseBody): readonly PlacedBlock[] {
  return turnsOf(body).flatMap((turn, index) =>
    contentOf(turn).flatMap((block, place) => {
      const at = `messages.${index}.content.${place}`;
      const inner = records(record(block.toolResult).content);
      return [
        { at, block, role: String(turn.role) },
        ...inner.map((part, within) => ({
          at: `${at}.toolResult.content.${within}`,
          block: part,
          role: 'result',
        })),
      ];
    }),
  );
}

export function eachBlock(
  body: ConverseBody,
  check: (placed: PlacedBlock) => string | undefined,
): string | undefined {
  for (const placed of placedBlocks(body)) {
    const found = check(placed);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The specifications of tools, with their places. */
export function toolSpecs({ toolConfig }: ConverseBody): readonly { at: string; spec: JsonRecord }[] {
  return records(toolConfig?.tools).flatMap(({ toolSpec }, index) =>
    toolSpec === undefined ? [] : [{ at: `toolConfig.tools.${index}`, spec: record(toolSpec) }],
  );
}

export function schemaOf(spec: JsonRecord): unknown {
  return record(spec.inputSchema).json;
}

export function idsIn(turn: JsonRecord | undefined, member: 'toolUse' | 'toolResult'): readonly string[] {
  return contentOf(turn).flatMap((block) =>
    block[member] === undefined ? [] : [String(record(block[member]).toolUseId)],
  );
}

/** Cache points in the order of the prompt: tools, system, turns. */
export function cachePoints(body: ConverseBody): readonly { at: string; point: JsonRecord }[] {
  const found = (at: string, blocks: readonly JsonRecord[]) =>
    blocks.flatMap(({ cachePoint }, index) =>
      cachePoint === undefined ? [] : [{ at: `${at}.${index}`, point: record(cachePoint) }],
    );
  return [
    ...found('toolConfig.tools', records(body.toolConfig?.tools)),
    ...found('system', records(body.system)),
    ...turnsOf(body).flatMap((turn, index) => found(`messages.${index}.content`, contentOf(turn))),
  ];
}
