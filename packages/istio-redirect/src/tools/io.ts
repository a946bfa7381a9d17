import type { NetnsTarget } from '@cni/netns'

/** Everything that {@link runTools} touches. */
export interface ToolIo {
  readonly env: Readonly<Record<string, string | undefined>>
  stdout(text: string): void
  stderr(text: string): void
  /** Colour on stdout. */
  readonly colour: boolean
  readonly signal: AbortSignal
  readonly now: () => Date
  readonly system: System
}

/** What a command looks up on the machine before it decides anything. */
export interface System {
  /** The text of a file; `-` is stdin. Throws the file system's error. */
  readFile(path: string): string
  writeFile(path: string, text: string): void
  /** The addresses of a namespace, `address/bits`. */
  addresses(target: NetnsTarget): Promise<readonly string[]>
}
