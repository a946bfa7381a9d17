/** How one thing on the node is. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'fail'
  /** The file, URL or process. */
  readonly subject: string
  readonly detail?: string | undefined
  /** What somebody could do about it. */
  readonly next?: string | undefined
}
