import { useQuery } from '@connectrpc/connect-query';
import type { ReactNode } from 'react';
import {
  type Generation,
  GenerationService,
  type ProviderResponse,
} from '../../../../gen/byway/v1/generations_pb.js';
import { useIsBilled } from '../../base/billing.js';
import { count, usd } from '../../base/decimal.js';
import { labelOfReferred, useByokKeyOptions, useKeyOptions, useWorkspaceOptions } from '../../base/lists.js';
import { linkTo } from '../../base/route.js';
import { durationText, instantText } from '../../base/time.js';
import { Loaded } from '../../ui/loaded.js';
import { Badge, Empty } from '../../ui/notices.js';
import { Card, PageLayout } from '../../ui/page.js';
import { type Column, Table } from '../../ui/table.js';
import { ReceiptCard } from './receipt-card.js';

/** An attempt with its place in the order, from 1. */
type Attempt = ProviderResponse & { readonly position: number };

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: '#', cell: ({ position }) => position },
  { title: 'Provider', cell: ({ providerName }) => providerName },
  { title: 'Status', cell: (attempt) => <Outcome attempt={attempt} /> },
  { title: 'Key', cell: (attempt) => <UsedKey attempt={attempt} /> },
  { title: 'Endpoint', cell: ({ endpoint }) => <code className="break">{endpoint}</code> },
  { title: 'Took', isNumber: true, cell: ({ latencyMs }) => durationText(latencyMs) },
];

/** One generation with every attempt. */
export function GenerationDetails({ id }: { readonly id: string }) {
  const query = useQuery(GenerationService.method.getGeneration, { id });
  return (
    <PageLayout
      title="Generation"
      intro={<code>{id}</code>}
      parent={{ title: 'Generations', href: linkTo(['generations']) }}
    >
      <Loaded query={query}>{({ data }) => data !== undefined && <Details generation={data} />}</Loaded>
    </PageLayout>
  );
}

function Details({ generation }: { readonly generation: Generation }) {
  const attempts = generation.providerResponses.map((response, index) => ({
    ...response,
    position: index + 1,
  }));
  return (
    <>
      <Card title="Result">
        <Facts generation={generation} />
      </Card>
      <ReceiptCard id={generation.id} />
      <Card title="Attempts" intro="In the order in which providers were tried.">
        {attempts.length === 0 ? (
          <Empty title="No provider was asked" />
        ) : (
          <Table
            caption="Attempts"
            columns={ATTEMPTS}
            rows={attempts}
            keyOf={({ position }) => String(position)}
          />
        )}
      </Card>
    </>
  );
}

/** By `api` of a generation; newer ones by that word. */
const API_NAMES: Readonly<Record<string, string>> = {
  chat: 'Chat completions',
  messages: 'Messages',
  responses: 'Responses',
  text_completions: 'Text completions',
};

function Facts({ generation }: { readonly generation: Generation }) {
  const keys = useKeyOptions();
  const workspaces = useWorkspaceOptions();
  const { latency, generationTime, upstreamInferenceCost } = generation;
  const hasFees = useIsBilled() || generation.byokFee !== 0;
  const facts: [string, ReactNode][] = [
    ['Model', generation.model],
    ['API', API_NAMES[generation.api] ?? generation.api],
    [
      'Provider',
      generation.cached ? 'None: answered from the cache' : (generation.providerName ?? 'None served'),
    ],
    ['Time', instantText(generation.createdAt)],
    [
      'API key',
      labelOfReferred(keys, {
        value: generation.apiKeyHash,
        name: generation.apiKeyName,
        isDeleted: generation.apiKeyDeleted,
      }),
    ],
    [
      'Workspace',
      labelOfReferred(workspaces, {
        value: generation.workspaceId,
        name: generation.workspaceName,
        isDeleted: generation.workspaceDeleted,
      }),
    ],
    ['Finished', generation.nativeFinishReason ?? generation.finishReason ?? '–'],
    ['Streamed', generation.streamed ? 'Yes' : 'No'],
    ['Client went away', generation.cancelled ? 'Yes' : 'No'],
    ['Prompt tokens', `${count(generation.tokensPrompt)} (${count(generation.nativeTokensCached)} cached)`],
    [
      'Completion tokens',
      `${count(generation.tokensCompletion)} (${count(generation.nativeTokensReasoning)} reasoning)`,
    ],
    ['First content after', latency === undefined ? '–' : durationText(latency)],
    ['Generated in', generationTime === undefined ? '–' : durationText(generationTime)],
    [hasFees ? 'Shared capacity and fees' : 'Shared capacity', usd(generation.usage)],
    ['BYOK at list price', upstreamInferenceCost === undefined ? '–' : usd(upstreamInferenceCost)],
    ...(hasFees ? [['BYOK fee in it', usd(generation.byokFee)] satisfies [string, ReactNode]] : []),
    ...attributionFacts(generation),
    ...(generation.omitted.length > 0
      ? [['Left out', generation.omitted.join(', ')] satisfies [string, ReactNode]]
      : []),
    ['Request', <code key="request">{generation.requestId}</code>],
  ];
  return (
    <dl className="facts">
      {facts.map(([title, value]) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Only what the request said. */
function attributionFacts({
  run,
  runId,
  endUser,
  sessionId,
  agentId,
  parentAgentId,
}: Generation): [string, ReactNode][] {
  const said: [string, ReactNode, string | undefined][] = [
    [
      'Run',
      <span key="run" title={runId}>
        {run}
      </span>,
      run,
    ],
    [
      'End user',
      <span key="end-user" className="break">
        {endUser}
      </span>,
      endUser,
    ],
    [
      'Session',
      <code key="session" className="break">
        {sessionId}
      </code>,
      sessionId,
    ],
    ['Agent', <code key="agent">{agentId}</code>, agentId],
    ['Started by agent', <code key="parent">{parentAgentId}</code>, parentAgentId],
  ];
  return said.flatMap(([title, value, text]) => (text === undefined ? [] : [[title, value]]));
}

function UsedKey({ attempt }: { readonly attempt: ProviderResponse }) {
  const keys = useByokKeyOptions();
  const { isByok, byokKeyId = '', byokKeyName: name, byokKeyDeleted: isDeleted } = attempt;
  if (!isByok) return 'Shared capacity';
  return <span title={byokKeyId}>{labelOfReferred(keys, { value: byokKeyId, name, isDeleted })}</span>;
}

function Outcome({ attempt: { status, error, adapted } }: { readonly attempt: ProviderResponse }) {
  const isGood = status !== undefined && status < 400 && error === undefined;
  return (
    <span className="badges">
      <Badge tone={isGood ? 'good' : 'bad'}>{status ?? 'No answer'}</Badge>
      {error !== undefined && <span>{error}</span>}
      {adapted !== undefined && <span>Adapted: {adapted.values.join(', ')}</span>}
    </span>
  );
}
