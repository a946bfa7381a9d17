/** Result of one check that `install-cni status` makes on the node. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'fail'
  /** File, URL or process that the check examines. */
  readonly subject: string
  readonly detail?: string | undefined
  /** Suggestion for the user after a failed check, such as a command to run. */
  readonly next?: string | undefined
}

/** Returns a function that builds checks with the given name. */
export const checksOf =
  (name: string) =>
  (state: Check['state'], subject: string, detail: string, next?: string): Check => ({
    name,
    state,
    subject,
    detail,
    next,
  })
