import type { AluOperation, Comparison, Instruction } from './instruction.ts'
import type { ProgramText } from './program-text.ts'

const operators: Readonly<Record<AluOperation, string>> = {
  add: '+=',
  sub: '-=',
  or: '|=',
  and: '&=',
  lsh: '<<=',
  rsh: '>>=',
  xor: '^=',
  mov: '=',
}
const comparisons: Readonly<Record<Comparison, string>> = {
  eq: '==',
  ne: '!=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
  set: '&',
}

/** Prints an eBPF program in the notation of the kernel's verifier. */
export function toText({ name, instructions }: ProgramText): string {
  const lines = instructions.map((each) => (each.kind === 'label' ? `${each.name}:` : `  ${instructionText(each)}`))
  return [`program ${name}`, ...lines, ''].join('\n')
}

/** Prints an eBPF instruction in the notation of the kernel's verifier. */
export function instructionText(instruction: Instruction): string {
  switch (instruction.kind) {
    case 'alu': {
      const { bits, operation, to, value } = instruction
      const half = (operand: string | number): string | number =>
        bits === 32 && typeof operand === 'string' ? operand.replace('r', 'w') : operand
      return `${half(to)} ${operators[operation]} ${shown(half(value))}`
    }
    case 'load':
      return `${instruction.to} = ${place(instruction)}`
    case 'store':
      return `${place(instruction)} = ${shown(instruction.value)}`
    case 'atomicAdd':
      return `lock ${place({ ...instruction, width: 'u64' })} += ${instruction.value}`
    case 'jump':
      return `if ${instruction.left} ${comparisons[instruction.comparison]} ${shown(instruction.right)} goto ${instruction.label}`
    case 'goto':
      return `goto ${instruction.label}`
    case 'map':
      return `${instruction.to} = map ${instruction.map}`
    case 'call':
      return `call ${instruction.helper}`
    case 'exit':
      return 'exit'
    case 'label':
      return `${instruction.name}:`
  }
}

// internal

const place = ({ width, base, offset }: { width: string; base: string; offset: number }): string =>
  `*(${width} *)(${base} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)})`

/** Prints a large number in an eBPF instruction in hexadecimal, because such a number is a bit pattern. */
const shown = (value: string | number): string =>
  typeof value === 'number' && value > 0xffff ? `0x${value.toString(16)}` : String(value)
