import type { Instruction } from './instruction.ts'
import { ProgramError, type ProgramErrorCode } from './program-error.ts'
import type { ProgramText } from './program-text.ts'
import { instructionText } from './to-text.ts'

/** What does something: everything but labels. */
export type Operation = Exclude<Instruction, { kind: 'label' }>

/** One of them, and where it is. */
export interface Line {
  readonly operation: Operation
  /** Before how many slots of eight bytes; a reference to a map takes two. */
  readonly slot: number
  /** The label above it; `undefined`: it is above them all. */
  readonly under: string | undefined
  /** The line that it may jump to. */
  readonly target: number | undefined
}

/** Finds what jumps lead to. Throws a `ProgramError`: `LABEL`. */
export function lines({ name, instructions }: ProgramText): readonly Line[] {
  const places = new Map<string, number>()
  let count = 0
  for (const instruction of instructions) {
    if (instruction.kind !== 'label') {
      count += 1
      continue
    }
    if (places.has(instruction.name))
      throw new ProgramError('LABEL', `Program ${name}: two labels are called ${instruction.name}`)
    places.set(instruction.name, count)
  }
  const found: Line[] = []
  let under: string | undefined
  let slot = 0
  for (const operation of instructions) {
    if (operation.kind === 'label') {
      under = operation.name
      continue
    }
    const line = { operation, slot, under, target: undefined }
    if (operation.kind === 'jump' || operation.kind === 'goto') {
      const target = places.get(operation.label)
      if (target === undefined || target >= count)
        fail(name, line, 'LABEL', `there is nothing at label ${operation.label}`)
      found.push({ ...line, target })
    } else found.push(line)
    slot += operation.kind === 'map' ? 2 : 1
  }
  return found
}

/** Throws a `ProgramError` that names the program, the label and the instruction. */
export function fail(program: string, line: Line, code: ProgramErrorCode, text: string): never {
  const under = line.under === undefined ? '' : ` under ${line.under}`
  throw new ProgramError(code, `Program ${program}, "${instructionText(line.operation)}"${under}: ${text}`)
}
