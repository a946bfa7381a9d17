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

/**
 * Checks an eBPF program. Throws a `ProgramError` for a program that some kernel version refuses; the message names
 * program, label and instruction. The programs of this package are constant. Tests check them, so the agent skips the
 * check on a node.
 */
export function checkProgram(text: ProgramText): void {
  assemble(text, Object.fromEntries(Object.keys(text.maps).map((name) => [name, 0])))
  lint(text, lines(text))
}

// internal

const isBlock = (part: Instruction | Block): part is Block => Array.isArray(part)

const flat = (block: Block): Instruction[] => block.flatMap((part) => (isBlock(part) ? flat(part) : [part]))
