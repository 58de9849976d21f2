/** Client applications; deleted ones keep their row. */
export interface ClientTable {
  id: string;
  account_id: string;
  name: string;
  secret_hash: string;
  /** The member that its keys belong to; null = one of its own, see `defaultClientUser`. */
  user_id: string | null;
  created_at: number;
  deleted_at: number | null;
}
