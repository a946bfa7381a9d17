/** State of a list-watch between its requests. */
export interface State {
  /** Latest `resourceVersion` that the API server sent. `undefined` before the first list. */
  version: string | undefined
  /** Next request to the API server. `list latest` is expensive, because the server reads from etcd. */
  next: 'list' | 'list latest' | 'watch'
  /** Maximum number of objects in a page. Reduced after a page that was too large. */
  limit: number
  failures: number
  /** Number of answers with status 410 (version expired) since the last successful watch. */
  expirations: number
  /** Seconds after which the server ends a watch. Random, because watches should not end together. */
  readonly watchSeconds: number
}

/** Number of objects that a list request asks for in one page. */
export const pageSize = 500

/** Resets the counts of failures, after a successful request. */
export function worked(state: State): void {
  state.failures = 0
  state.expirations = 0
}
