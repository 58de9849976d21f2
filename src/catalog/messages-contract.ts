/**
 * What a host of Claude takes of a Messages request, as data: `docs/providers/anthropic.md#contract`. One function makes any
 * request fit any contract, whether it is passed on as it came or made from a chat.
 */

/** Forms of `thinking`. */
export const THINKING_FORMS = ['enabled', 'adaptive', 'disabled'] as const;

/** `one`: temperature or top_p. */
export const SAMPLINGS = ['both', 'one', 'none'] as const;

export interface MessagesContract {
  /** Members of a request; null = also such as nobody knows here. */
  readonly members: Pick<ReadonlySet<string>, 'has'> | null;
  /** Members that it has not, and without which the answer is to another question. */
  readonly missing: ReadonlySet<string>;
  /** Members of tools that it takes with this beta feature alone; null = not at all. */
  readonly toolMembers: ReadonlyMap<string, string | null>;
  /** Whether `cache_control` may stand beside `messages`. */
  readonly requestBreakpoint: boolean;
  /** The beta feature with which marks may have a scope; null = they may not. */
  readonly scopeBeta: string | null;
  /** Marks of a request. */
  readonly maxBreakpoints: number;
  /** Types of tools of the host's own that it has not, by how they begin. */
  readonly missingTools: readonly string[];
  /** Whether it fetches media by their address. */
  readonly addresses: boolean;
  /** Whether files are stored there, which requests name. */
  readonly files: boolean;
  /** Media types of images, judged by their bytes. */
  readonly images: readonly string[];
  /** Characters of a tool's name. */
  readonly maxToolName: number;
  /** Whether a message of the role `system` may follow one of the user. */
  readonly systemTurns: boolean;
  /** Whether the model continues a last message of the assistant's. */
  readonly prefill: boolean;
  /** Whether thoughts must be signed by Claude. */
  readonly signedThoughts: boolean;
  readonly thinking: readonly (typeof THINKING_FORMS)[number][];
  /** Whether the model thinks where nothing is said of it. */
  readonly thinksByDefault: boolean;
  /** Efforts from the lowest to the highest; empty = it takes none. */
  readonly efforts: readonly string[];
  readonly sampling: (typeof SAMPLINGS)[number];
  /** Whether tools may be strict, and answers have a schema. */
  readonly schemas: boolean;
}
