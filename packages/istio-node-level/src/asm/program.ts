import { assemble } from './assemble.ts'
import type { Block, Instruction } from './instruction.ts'
import { lines } from './lines.ts'
import { lint } from './lint.ts'
import type { ProgramText } from './program-text.ts'

/** Puts blocks together; {@link checkProgram} finds what is wrong with it. */
export const program = ({
  body,
  ...rest
}: Omit<ProgramText, 'instructions'> & { readonly body: Block }): ProgramText => ({
  ...rest,
  instructions: flat(body),
})

/**
 * Throws a `ProgramError` for what some kernel refuses, and names program, label and instruction. A program that is a
 * constant is checked by a test: nobody waits for it on a node.
 */
export function checkProgram(text: ProgramText): void {
  assemble(text, Object.fromEntries(Object.keys(text.maps).map((name) => [name, 0])))
  lint(text, lines(text))
}

// internal

const isBlock = (part: Instruction | Block): part is Block => Array.isArray(part)

const flat = (block: Block): Instruction[] => block.flatMap((part) => (isBlock(part) ? flat(part) : [part]))
