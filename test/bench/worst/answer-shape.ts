/** Answers of a hostile provider. */

/** The protocols that are answered, by the provider's slug; `messages` is called in its own format. */
export type Protocol = 'openai' | 'azure' | 'anthropic' | 'messages' | 'bedrock' | 'vertex';

export interface ScriptedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A bad answer to a request in one piece or for a stream. */
export interface AnswerShape {
  readonly name: string;
  readonly protocol: Protocol;
  readonly isStreamed: boolean;
  make(): ScriptedAnswer;
}
