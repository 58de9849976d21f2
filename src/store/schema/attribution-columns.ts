/** Within which run, by which agent and for whom a request was made. */
export interface AttributionColumns {
  run_id: string | null;
  /** The client's name of the run. */
  run: string | null;
  end_user: string | null;
  agent_id: string | null;
  parent_agent_id: string | null;
}
