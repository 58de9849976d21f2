/** A word of the project, what it means here, and the file that defines it: nothing else may be called so. */
export interface Term {
  readonly topic: string;
  readonly word: string;
  readonly means: string;
  /** From the project's root. An exported name or a docstring of it has the word. */
  readonly owner: string;
}

/** `word | owner, below src | meaning`, a line each. */
const ROWS: Readonly<Record<string, string>> = {
  Requests: `
transport | rpc/in-process-transport.ts | a way to call the same methods: REST, Connect, gRPC, gRPC-Web, in process
operation | rest/operation.ts | one REST path and method, compiled from a method of the contract
request guard | server/guard/request-guard.ts | all checks of a request before its body is read
traffic class | http/body.ts | administration, inference, listing or batches (\`plane\` in the contract): decides the size of bodies and whether calls are counted
REST plugin | rest/rest-plugin.ts | the Fastify plugin that has a route for each operation
interceptor chain | rest/core.ts | what runs around every method, whatever the transport: errors, validation
in-process transport | rpc/in-process-transport.ts | calls methods without serialising; REST, the command line and tests use it
open method | rpc/define-service.ts | a method over JSON of a format that others define; its request over REST is an \`OpenRequest\`
caller | rpc/caller.ts | a call with its region and id
principal | identity/principal.ts | who a call is made by: an API key, a management key, a client, an operator key, nobody
problem | base/problem.ts | an error that a caller is told
reason | base/reasons.ts | the stable word of a problem
violation | base/problem.ts | one member of a request and the rule that it breaks
error envelope | http/error-envelope.ts | the JSON body of every REST error
enveloped message | server/rpc/unary/grpc.ts | a message on the wire of an RPC protocol: flags, length, bytes
message | protobuf/read.ts | one message of the contract; the entries of a chat are its \`messages\`
reusable answer | protobuf/answer-caching.ts | one that is given again unchanged, so that its bytes are worth caching
change | base/change.ts | keep, clear or set: what an update says of one field
alias | protobuf/aliases.ts | another name that a member of answers is sent under, by the operator's choice
`,
  'Routing and inference': `
endpoint | catalog/types.ts | a model at a provider, perhaps in one region
candidate | routing/plan/candidate.ts | an endpoint over shared capacity, or with one BYOK key; eligible or excluded
plan | routing/types.ts | all candidates of a request, each either an attempt in the order of trying or an exclusion
attempt | routing/types.ts | one try to serve a request: an endpoint, and the credential to call it with
session | formats/session/name.ts | a conversation, by the name that its client gives it
session hint | formats/session/host-hints.ts | what a host is told of a session, so that it finds its prompt cache
exclusion | routing/types.ts | a candidate that is not tried, with one reason
fallback chain | routing/plan/plan.ts | the plans of several models, one after the other
evaluation context | routing/types.ts | everything that candidates are judged by, but for the request
credential coverage | routing/types.ts | which models and regions of its provider a credential covers
health | routing/types.ts | what the circuit breaker knows of a candidate
cooling | routing/health/failure-record.ts | tried last for a while after failures
resting | inference/attempts/attempt-order.ts | tried last, and never where all rest, since the provider asked to wait
passed over | inference/attempts/attempt-order.ts | not tried, since it is cooling or resting
probe permit | routing/health/probe-permit.ts | the right of one request to try early what is cooling
witness | routing/health/witnesses.ts | an account that has met something on shared capacity
quorum | routing/health/witnesses.ts | the three accounts after which what they met holds for all
latency statistics | routing/health/latency-statistics.ts | measured speed of endpoints, by which \`sort\` can order
key index | byok/cache/key-index.ts | the BYOK keys of a workspace by id, by provider and by who may use them
route cache | routing/router/route-cache.ts | results of planning that do not depend on the request
quirks | catalog/quirks.ts | what differs at a host that speaks a known protocol
format | catalog/types.ts | an API that a request is written in and that an endpoint may speak: chat, Messages, ...
lane | catalog/formats.ts | how an attempt is sent: *native*, in the format of the request, or *translated*
native | inference/ports/inference-request.ts | of a request, its answer and events: in the format that the client speaks, passed on as it came
Messages format | formats/messages/types.ts | Anthropic's Messages API; with a capital letter, and \`messages\` first in names
mark | formats/marks.ts | a signed text of the gateway's own in which thoughts of one model pass through a client of another format
adapter | inference/ports/adapter.ts | calls the hosts of one protocol of providers
codec | providers/http/codec.ts | says the calls of one format to a host, and reads its answers
host contract | catalog/chat-contract.ts | what a host takes of a conversation, as data; the contract alone is that of the gateway's own methods
fit | providers/fit/chat/fit-chat.ts | makes a conversation one that its host takes
normalized | inference/ports/adapter.ts | of an answer or event: in terms of a chat, whichever format the provider speaks
member mapping | providers/common/adapted.ts | what a provider's request has for each member of a chat
adaptation | inference/ports/adapter.ts | what an attempt sends otherwise than the client has said it, or leaves out, also after the provider's refusal
admit | ledger/admission.ts | to decide that a request may be made: no limit is reached, and its max cost is reserved
inference run | inference/run/run.ts | one request from admission to its record
generation | inference/ports/generation.ts | the record of a request
first content | inference/stream/open-stream.ts | the first piece that a client waits for; from there on there is no fallback
deadlines | inference/attempts/deadlines.ts | the four timeouts of an attempt and the client's leaving, as one signal
push stream | base/push-stream.ts | a stream whose source hands on at once what came, and is paused while nobody takes it
stream usage | inference/ports/stream-usage.ts | what a stream has come to so far
stream writer | inference/ports/answer-format.ts | writes one streamed answer in the format of its API
told | inference/attempts/told-failure.ts | of a failed attempt: what its caller may know of it
in flight | inference/inference.ts | admitted and not yet settled
place | base/fair-places.ts | one of the requests that may be at a host at once, shared between accounts
tenancy | inference/ports/adapter.ts | whose call it is, by which accounts share places
test call | inference/test-call.ts | one cheap call with a stored credential
probe | inference/probe/probe.ts | a dozen calls to a provider with a real account, to compare it with what is expected
slot | base/memory/slots.ts | where an item is that comes and goes, such as a request in flight; it refers to nothing that was removed
`,
  Money: `
ledger | ledger/ledger.ts | the only authority on what is spent and reserved; also its entries
subject | ledger/payer.ts | what has a balance: an account, a key, a member, a workspace, a member within a workspace, a run, an end user
balance | ledger/balance/balance.ts | the sums of a subject, in all and by window
delta | ledger/balance/balance.ts | a change of a balance
limit | ledger/limits.ts | the most that a subject may spend; a \`SpendLimit\`
budget | accounts/workspaces/budget.ts | a limit of a guardrail or a workspace
payer | ledger/payer.ts | account, workspace, key and member of a request, its run and its end user
attribution | inference/ports/attribution.ts | what a request says of whom it spends for: run, end user, agents
billing plan | ledger/payer.ts | of an account: sets its free allowance of BYOK usage
available funds | ledger/admission.ts | whether credits, and whether some free BYOK allowance, are left
max usage | routing/estimate/max-usage.ts | the most tokens that an attempt may use
max cost | ledger/pricing/price.ts | what the max usage costs
reservation | ledger/held-reservations.ts | the max cost, counted as spent until settlement
held | ledger/held-reservations.ts | of a reservation: in memory, not a row
precondition | ledger/admission.ts | what must hold of a balance in the database for a decision on a cached one
balance cache | store/ledger/balance-cache.ts | balances as this process last saw them
cache miss | store/ledger/ledger-transaction.ts | a decision that needs a balance that is not cached
settlement | ledger/settlement.ts | replacing the reservation by the charge; retried while the database is away
window | ledger/balance/windows.ts | a day, week or month in which charges count; the two newest are kept
journal | inference/settlement/stream-journal.ts | what streams had sent when it was looked at last, charged when the process was killed
charge | ledger/settlement.ts | what a request costs
fee | ledger/fee.ts | what BYOK use beyond the allowance costs
top-up | ledger/credits.ts | credits paid in
`,
  Store: `
engine | store/engine/engine.ts | what differs between SQLite and PostgreSQL
rollup | store/schema/usage-schema.ts | sums of usage by hour and what was used, kept by settlements, and their sums by day; activity reads nothing else
retention | store/retention/retention.ts | dropping rows that are older than the operator keeps
carried forward | store/schema/retention-schema.ts | what dropped ledger entries came to
group commit | store/ledger/group-commit.ts | writes of the same moment share a transaction, each with its own outcome
optimistic write | store/engine/engine.ts | a write with preconditions, in one round trip
revision | store/database/revisions.ts | a counter for each kind of cached state (\`identity\`, \`catalog\`, ...), which is its *scope*
bump | store/engine/engine.ts | counting a revision up
process lease | store/engine/process-lease.ts | shows that a process lives; its reservations end with it
poller | store/database/poller.ts | looks for bumped revisions where notifications may be lost
prepared statement | store/query/prepared.ts | SQL compiled once, for hot paths
`,
  'Credentials and batches': `
vault | byok/vault/vault.ts | encrypts credentials
sealed | byok/vault/vault.ts | encrypted under a data key that a master key wraps
section | byok/types.ts | of a provider key: prioritized, tried before shared capacity, or fallback, tried after it
credential cache | byok/cache/credential-cache.ts | provider credentials in memory, stored and opened
redaction | providers/redaction/redaction.ts | replacing secrets in what providers answer
job target | batch/job-target.ts | where the job of a batch runs: provider, region, credential
staging | batch/submission.ts | writing a batch's requests to a bucket
endpoint selection | batch/endpoint-selection.ts | choosing the endpoint and the key of a batch
lazy list | base/json/lazy-list.ts | looks like an array, and parses an item on each access
`,
};

export const GLOSSARY: readonly Term[] = Object.entries(ROWS).flatMap(([topic, rows]) =>
  rows
    .trim()
    .split('\n')
    .map((row) => termOf(topic, row)),
);

function termOf(topic: string, row: string): Term {
  const [word, owner, means, ...others] = row.split(' | ');
  if (word === undefined || owner === undefined || means === undefined || others.length > 0) {
    throw new Error(`not \`word | owner | meaning\`: ${row}`);
  }
  return { topic, word, owner: `src/${owner}`, means };
}
