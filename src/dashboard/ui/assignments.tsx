import { type ReactNode, useState } from 'react';
import type { Option } from '../base/option.js';
import { Button } from './button.js';
import { Form } from './form.js';
import { ListInput } from './list-field.js';
import { Empty, FailureNotice } from './notices.js';
import { Pager, Table } from './table.js';

interface Assigned {
  /** The value that it is added and removed by. */
  readonly value: string;
  /** ISO 8601, as people read it. */
  readonly since: string;
}

interface AssignmentsProps {
  /** In the singular: `API key`, `member`. */
  readonly thing: string;
  /** The name of the list in REST spelling. */
  readonly field: string;
  readonly assigned: readonly Assigned[];
  readonly nameOf: (value: string) => ReactNode;
  readonly options: readonly Option[];
  readonly isClosed?: boolean;
  readonly placeholder: string;
  /** The label of the button that adds. */
  readonly submit: string;
  readonly page: { readonly offset: number; readonly limit: number; readonly total: number };
  readonly onMove: (offset: number) => void;
  /** Adds, then calls back. */
  readonly onAdd: (values: readonly string[], done: () => void) => void;
  readonly onRemove: (value: string) => void;
  readonly isBusy: boolean;
  readonly addError: unknown;
  readonly removeError: unknown;
}

/** A list of assignments; several can be added at once, and each can be removed. */
export function Assignments(props: AssignmentsProps) {
  const { thing, field, assigned, nameOf, options, isClosed = false, placeholder, page, isBusy } = props;
  const [added, setAdded] = useState<readonly string[]>([]);
  return (
    <div className="stack">
      {assigned.length === 0 ? (
        <Empty title={`No ${thing} yet`} />
      ) : (
        <div>
          <Table
            caption={`Every ${thing}`}
            columns={[
              { title: thing === 'member' ? 'Member' : thing, cell: ({ value }) => nameOf(value) },
              { title: 'Since', cell: ({ since }) => since },
              {
                title: 'Actions',
                isUntitled: true,
                cell: ({ value }) => (
                  <div className="row-actions">
                    <Button
                      kind="quiet"
                      label={`Remove ${value}`}
                      disabled={isBusy}
                      onClick={() => props.onRemove(value)}
                    >
                      Remove
                    </Button>
                  </div>
                ),
              },
            ]}
            rows={assigned}
            keyOf={({ value }) => value}
          />
          <Pager {...page} onMove={props.onMove} />
        </div>
      )}
      <FailureNotice error={props.removeError} />
      <Form
        submit={props.submit}
        onSubmit={() => props.onAdd(added, () => setAdded([]))}
        isBusy={isBusy}
        error={props.addError}
      >
        <ListInput
          label={`Add a ${thing}`.replace('a API', 'an API')}
          name={field}
          options={options}
          isClosed={isClosed}
          placeholder={placeholder}
          value={added}
          onChange={setAdded}
        />
      </Form>
    </div>
  );
}
