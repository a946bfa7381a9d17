/** Edit of the engine's source. The text must occur exactly `times` times. */
export interface Edit {
  readonly why: string
  readonly find: string
  readonly replace: string
  readonly times: number
}
