/** Result of one check of the node. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'fail'
  /** File, URL or process that is checked. */
  readonly subject: string
  readonly detail?: string | undefined
  /** Next step for the user. */
  readonly next?: string | undefined
}
