import { assemble } from './assemble.ts'
import type { Block, Instruction } from './instruction.ts'
import { lines } from './lines.ts'
import { lint } from './lint.ts'
import type { ProgramText } from './program-text.ts'

/** Joins lists of instructions to an eBPF program. {@link checkProgram} validates the program. */
export const program = ({
  body,
  ...rest
}: Omit<ProgramText, 'instructions'> & { readonly body: Block }): ProgramText => ({
  ...rest,
  instructions: flat(body),
})

/** Checks an eBPF program. Only tests call this function, because the programs are constant. */
export function checkProgram(text: ProgramText): void {
  assemble(text, Object.fromEntries(Object.keys(text.maps).map((name) => [name, 0])))
  lint(text, lines(text))
}

// internal

const isBlock = (part: Instruction | Block): part is Block => Array.isArray(part)

const flat = (block: Block): Instruction[] => block.flatMap((part) => (isBlock(part) ? flat(part) : [part]))
