import type { CommandIo as ProcessIo } from '@cni/host/cli'

/** Output of an `install-cni` command: its streams and colours. */
export type CommandIo = Pick<ProcessIo, 'stdout' | 'stderr' | 'colour'>

/** Adds a colour to a text, if the output is a terminal that shows colours. */
export function paint(io: CommandIo, colour: keyof typeof CODES, text: string): string {
  return io.colour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text
}

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 90, bold: 1 } as const
