import type { Instruction } from './instruction.ts'
import { ProgramError, type ProgramErrorCode } from './program-error.ts'
import type { ProgramText } from './program-text.ts'
import { instructionText } from './to-text.ts'

/** eBPF instruction that the kernel executes, in contrast to a label. */
export type Operation = Exclude<Instruction, { kind: 'label' }>

/** eBPF instruction with its position in the program. */
export interface Line {
  readonly operation: Operation
  /** Index of the instruction's first eight-byte slot. A map reference takes two slots. */
  readonly slot: number
  /** Nearest label above the instruction. `undefined` if the program has no label before the instruction. */
  readonly under: string | undefined
  /** Index of the instruction that a jump leads to. `undefined` if the instruction does not jump. */
  readonly target: number | undefined
}

/** Resolves the labels of an eBPF program to instruction indices. Throws a `ProgramError` `LABEL`. */
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
        fail(name, line, 'LABEL', `label ${operation.label} is missing or at the end`)
      found.push({ ...line, target })
    } else found.push(line)
    slot += operation.kind === 'map' ? 2 : 1
  }
  return found
}

/** Throws a `ProgramError` for an eBPF instruction. The message names the program, the label and the instruction. */
export function fail(program: string, line: Line, code: ProgramErrorCode, text: string): never {
  const under = line.under === undefined ? '' : ` under ${line.under}`
  throw new ProgramError(code, `Program ${program}, "${instructionText(line.operation)}"${under}: ${text}`)
}
