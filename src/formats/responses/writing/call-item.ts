import { parseJson } from '../../json.js';
import { JsonEnd } from '../../json-end.js';
import type { ClientTool, ToolNames } from '../tool-names.js';
import type { CustomToolCallItem, FunctionCallItem, ItemStatus } from '../types.js';
import { CustomInput } from './custom-input.js';
import type { ItemEvents } from './item-events.js';
import { type ItemEnding, itemAdded, itemDone, type WrittenItem } from './written-item.js';

/** A call of a tool: a function, or a custom tool, which is a function in the chat. */
export class CallItemWriter implements WrittenItem {
  ended: FunctionCallItem | CustomToolCallItem | undefined;
  readonly #callId: string;
  readonly #toolNames: ToolNames;
  readonly #end = new JsonEnd();
  #tool: ClientTool | undefined;
  /** Of a custom tool. */
  #custom: CustomInput | undefined;
  #arguments = '';
  /** What of the arguments has not been written. */
  #fresh = '';
  /** Characters of the arguments or the input. */
  #written = 0;
  #hasBegun = false;

  constructor(callId: string, toolNames: ToolNames) {
    this.#callId = callId;
    this.#toolNames = toolNames;
  }

  get isComplete(): boolean {
    return this.#end.isReached;
  }

  add(name: string | undefined, pieceOfArguments: string | undefined): void {
    if (name !== undefined && this.#tool === undefined) this.#named(this.#toolNames.toolOf(name));
    if (pieceOfArguments === undefined) return;
    this.#end.read(pieceOfArguments);
    this.#arguments += pieceOfArguments;
    this.#fresh += pieceOfArguments;
    this.#custom?.add(pieceOfArguments);
  }

  write(about: ItemEvents, ending?: ItemEnding): void {
    if (this.#tool === undefined && ending === undefined) return;
    const tool = this.#tool ?? NAMELESS;
    if (!this.#hasBegun) itemAdded(about, this.#item(about, tool, '', 'in_progress'));
    this.#hasBegun = true;
    const whole = ending && this.#whole(ending);
    const words = WORDS[tool.kind];
    const place = { item_id: about.idWith(words.prefix), output_index: about.index };
    const delta = whole === undefined ? this.#takeFresh() : whole.text.slice(this.#written);
    this.#written += delta.length;
    if (delta !== '') about.add(`${words.event}.delta`, { ...place, delta });
    if (whole === undefined) return;
    const { text, status } = whole;
    about.add(`${words.event}.done`, { ...place, ...inputEnd(tool, text) });
    this.ended = this.#item(about, tool, text, status);
    itemDone(about, this.ended);
  }

  #named(tool: ClientTool): void {
    this.#tool = tool;
    if (tool.kind !== 'custom') return;
    this.#custom = new CustomInput();
    this.#custom.add(this.#arguments);
  }

  #takeFresh(): string {
    if (this.#custom !== undefined) return this.#custom.takeFresh();
    const fresh = this.#fresh;
    this.#fresh = '';
    return fresh;
  }

  #whole(ending: ItemEnding): { readonly text: string; readonly status: ItemStatus } {
    const isUnsaid = ending === 'cut' && this.#arguments === '';
    if (isUnsaid) return { text: '', status: 'incomplete' };
    if (this.#custom !== undefined) {
      const { input, isCut } = this.#custom.finish();
      return { text: input, status: isCut ? 'incomplete' : 'completed' };
    }
    if (this.#arguments === '') return { text: NO_ARGUMENTS, status: 'completed' };
    const isWhole = this.#end.isReached || parseJson(this.#arguments) !== undefined;
    return { text: this.#arguments, status: isWhole ? 'completed' : 'incomplete' };
  }

  #item(about: ItemEvents, { kind, name, namespace }: ClientTool, text: string, status: ItemStatus) {
    const { type, prefix } = WORDS[kind];
    const common = {
      id: about.idWith(prefix),
      call_id: this.#callId,
      name,
      ...(namespace !== null && { namespace }),
    };
    return type === 'function_call'
      ? { type, ...common, arguments: text, status }
      : { type, ...common, input: text, status };
  }
}

/** What a function without parameters is called with, for which many hosts send nothing. */
const NO_ARGUMENTS = '{}';

const NAMELESS: ClientTool = { kind: 'function', name: '', namespace: null };

const WORDS = {
  function: { type: 'function_call', prefix: 'fc', event: 'response.function_call_arguments' },
  custom: { type: 'custom_tool_call', prefix: 'ctc', event: 'response.custom_tool_call_input' },
} as const;

function inputEnd({ kind, name }: ClientTool, text: string) {
  return kind === 'custom' ? { input: text } : { arguments: text, name };
}
