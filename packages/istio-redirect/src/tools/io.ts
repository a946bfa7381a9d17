import type { CommandIo } from '@cni/host/cli'
import type { NetnsTarget } from '@cni/netns'

/** Environment, streams and file access of the commands that {@link runTools} runs. Tests replace them. */
export interface ToolIo extends Omit<CommandIo, 'stderrColour' | 'progress'> {
  readonly now: () => Date
  readonly system: System
}

/** Access to the machine's files and to the addresses of its network namespaces. */
export interface System {
  /** Reads the text of a file. The path `-` means stdin. Throws the file system's error. */
  readFile(path: string): string
  writeFile(path: string, text: string): void
  /** Reads the addresses of a network namespace, as `address/bits`. */
  addresses(target: NetnsTarget): Promise<readonly string[]>
}
