/** A place of the engine's source that must be there exactly `times` times. */
export interface Edit {
  readonly why: string
  readonly find: string
  readonly replace: string
  readonly times: number
}
