/** Translates `tools` and `tool_choice` to a chat's. */
import type { ChatTool, JsonObject } from '../chat/types.js';
import { elements, isObject, members, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';
import { CUSTOM_PARAMETERS, grammarWords } from './custom-input.js';
import { type ClientTool, type DeclaredTools, nameInChat } from './tool-names.js';
import type { ResponsesBody } from './types.js';

/** Items of the conversation that bring tools of their own. */
const WITH_TOOLS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output']);

/** The members `tools`, `tool_choice` and `parallel_tool_calls`; empty if there are no tools. */
export function chatToolMembers(body: ResponsesBody, names: DeclaredTools, findings: Findings): JsonObject {
  const reading = new ToolReading(names, findings);
  reading.read(body.tools, 'tools');
  for (const [position, item] of elements(body.input).entries()) {
    const { type, tools } = members(item);
    if (WITH_TOOLS.has(type)) reading.read(tools, `input[${position}].tools`);
  }
  const { tools, leftOut } = reading;
  const choice = choiceOf(body.tool_choice, { names: tools, leftOut, findings });
  const kept = [...tools].flatMap(([name, tool]) => (choice.allows(name) ? [tool] : []));
  if (kept.length === 0) return {};
  return {
    tools: kept,
    ...(choice.said !== undefined && { tool_choice: choice.said }),
    // That several may be called is what chats do anyway.
    ...(body.parallel_tool_calls === false && { parallel_tool_calls: false }),
  };
}

const READ: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'parameters', 'strict', 'format', 'tools', 'function', 'custom'],
  // All tools are there from the start.
  'defer_loading',
]);

class ToolReading {
  /** By their names in the chat. One that is declared again counts as it is declared last. */
  readonly tools = new Map<string, ChatTool>();
  /** Types of tools that a chat can't have. */
  readonly leftOut = new Set<string>();
  readonly #names: DeclaredTools;
  readonly #findings: Findings;

  constructor(names: DeclaredTools, findings: Findings) {
    this.#names = names;
    this.#findings = findings;
  }

  read(tools: unknown, path: string, namespace: JsonObject | null = null): void {
    for (const [position, tool] of elements(tools).entries()) {
      this.#tool(members(tool), `${path}[${position}]`, namespace);
    }
  }

  #tool(tool: JsonObject, field: string, namespace: JsonObject | null): void {
    const type = textOf(tool.type) ?? 'function';
    if (type === 'namespace' && namespace === null) this.read(tool.tools, `${field}.tools`, tool);
    else if (type === 'function' || type === 'custom') this.#function(type, tool, field, namespace);
    else {
      this.leftOut.add(type);
      this.#findings.omit(type);
    }
  }

  #function(kind: ClientTool['kind'], tool: JsonObject, field: string, namespace: JsonObject | null): void {
    // Some clients nest the members, as chats do.
    const said = isObject(tool[kind]) ? tool[kind] : tool;
    const name = textOf(said.name);
    if (name === undefined) {
      this.#findings.refuse(`${field}.name`, 'required', 'must name the tool');
      return;
    }
    for (const member of Object.keys(tool)) if (!READ.has(member)) this.#findings.omit(`tools.${member}`);
    const inChat = this.#names.declare({ kind, name, namespace: textOf(namespace?.name) ?? null });
    if (inChat === null) {
      const message = 'must differ from the names of other tools, with those of their namespaces before them';
      this.#findings.refuse(`${field}.name`, 'unique', message);
      return;
    }
    this.tools.set(inChat, chatFunction(kind, said, inChat, namespace));
  }
}

/** `said`: the members of a function or a custom tool. */
export function chatFunction(
  kind: ClientTool['kind'],
  said: JsonObject,
  name: string,
  namespace: JsonObject | null = null,
): ChatTool {
  const description = descriptionOf(kind, said, namespace);
  return {
    type: 'function',
    function: {
      name,
      ...(description !== '' && { description }),
      parameters: kind === 'custom' ? CUSTOM_PARAMETERS : parametersOf(said),
      ...(typeof said.strict === 'boolean' && { strict: said.strict }),
    },
  };
}

function parametersOf({ parameters }: JsonObject): JsonObject {
  return isObject(parameters) ? parameters : { type: 'object', properties: {} };
}

function descriptionOf(kind: ClientTool['kind'], tool: JsonObject, namespace: JsonObject | null): string {
  const words = [
    tool.description,
    namespace?.description,
    kind === 'custom' ? grammarWords(tool.format) : '',
  ];
  return words.flatMap((text) => textOf(text) ?? []).join('\n\n');
}

/** A choice of tools, and which tools it leaves. */
interface Choice {
  /** undefined where the model chooses. */
  readonly said: unknown;
  allows(name: string): boolean;
}

interface Choosing {
  /** The chat's tools, by name. */
  readonly names: Pick<ReadonlyMap<string, unknown>, 'has' | 'size'>;
  readonly leftOut: ReadonlySet<string>;
  readonly findings: Findings;
}

const anyTool = () => true;

function choiceOf(choice: unknown, choosing: Choosing): Choice {
  if (typeof choice === 'string') return { said: modeOf(choice, choosing), allows: anyTool };
  if (!isObject(choice)) return { said: undefined, allows: anyTool };
  const { type } = choice;
  if (type === 'allowed_tools') return allowedBy(choice, choosing);
  if (type === 'function' || type === 'custom') return { said: namedIn(choice, choosing), allows: anyTool };
  refuseForced(textOf(type) ?? 'unknown', choosing);
  return { said: undefined, allows: anyTool };
}

/** `required` asks for one of the tools that are left out where there are no others. */
function modeOf(mode: string, choosing: Choosing): string {
  const [forced] = choosing.leftOut;
  if (mode === 'required' && choosing.names.size === 0 && forced !== undefined)
    refuseForced(forced, choosing);
  return mode;
}

function refuseForced(type: string, { findings }: Choosing): void {
  const message = `forces a tool of type ${type}, which only endpoints that speak the Responses format run, and none is left`;
  findings.refuse('tool_choice', 'unsupported', message);
}

/** The chat's names of the tools that a choice allows. A list without any of them leaves no tools. */
function allowedBy({ mode, tools, ...nested }: JsonObject, choosing: Choosing): Choice {
  const given = isObject(nested.allowed_tools) ? nested.allowed_tools : { mode, tools };
  const allowed = new Set(elements(given.tools).map((tool) => nameIn(members(tool))));
  const isRequired = given.mode === 'required';
  const hasNone = ![...allowed].some((name) => choosing.names.has(name));
  const [forced] = elements(given.tools).flatMap((tool) => textOf(members(tool).type) ?? []);
  if (isRequired && hasNone && forced !== undefined) refuseForced(forced, choosing);
  return { said: isRequired ? 'required' : 'auto', allows: (name) => allowed.has(name) };
}

function namedIn(choice: JsonObject, { names, findings }: Choosing): JsonObject {
  const name = nameIn(choice);
  if (!names.has(name)) findings.refuse('tool_choice', 'known', 'must name one of the tools');
  return { type: 'function', function: { name } };
}

function nameIn(choice: JsonObject): string {
  const { name } = isObject(choice.function) ? choice.function : choice;
  return nameInChat({ name: textOf(name) ?? '', namespace: textOf(choice.namespace) ?? null });
}
