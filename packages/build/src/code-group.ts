import type { Piece } from './top-level.ts'

/** What the same `import()`s lead to, and nothing else but what is small: a few functions that fewer of them lead to. */
export interface CodeGroup {
  /** Which `import()`s, by their numbers. */
  readonly imports: readonly number[]
  /** In the order of the text. */
  readonly pieces: readonly Piece[]
  /** What they declare. */
  readonly names: ReadonlySet<string>
}
