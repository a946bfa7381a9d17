/** Output of an `install-cni` command: its streams and colours. */
export interface CommandIo {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly colour: boolean
}

/** Adds a colour to a text, if the output is a terminal that shows colours. */
export function paint(io: CommandIo, colour: keyof typeof CODES, text: string): string {
  return io.colour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text
}

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 90, bold: 1 } as const
