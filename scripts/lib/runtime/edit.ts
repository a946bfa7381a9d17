/** A replacement of text in QuickJS's source. The searched text must occur exactly `times` times. */
export interface Edit {
  readonly why: string
  readonly find: string
  readonly replace: string
  readonly times: number
}
