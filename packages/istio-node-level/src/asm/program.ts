import { assemble } from './assemble.ts'
import type { Block, Instruction } from './instruction.ts'
import { lines } from './lines.ts'
import { lint } from './lint.ts'
import type { ProgramText } from './program-text.ts'

/** Joins blocks to a program. {@link checkProgram} validates it. */
export const program = ({
  body,
  ...rest
}: Omit<ProgramText, 'instructions'> & { readonly body: Block }): ProgramText => ({
  ...rest,
  instructions: flat(body),
})

/**
 * Throws a `ProgramError` for a program that some kernel refuses. The message names program, label and instruction.
 * Constant programs are checked by a test, so that no node has to wait for the check.
 */
export function checkProgram(text: ProgramText): void {
  assemble(text, Object.fromEntries(Object.keys(text.maps).map((name) => [name, 0])))
  lint(text, lines(text))
}

// internal

const isBlock = (part: Instruction | Block): part is Block => Array.isArray(part)

const flat = (block: Block): Instruction[] => block.flatMap((part) => (isBlock(part) ? flat(part) : [part]))
