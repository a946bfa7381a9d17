import type { HelperName } from './helpers.ts'

/**
 * Register. `r0` has the result of a call, and `r1` to `r5` its arguments. Calls preserve `r6` to `r9`. `r10` is the
 * frame pointer, with 512 bytes of stack below.
 */
export type Register = 'r0' | 'r1' | 'r2' | 'r3' | 'r4' | 'r5' | 'r6' | 'r7' | 'r8' | 'r9' | 'r10'

/** Width of a memory access. */
export type Width = 'u8' | 'u16' | 'u32' | 'u64'

/** Operation of {@link Alu}. */
export type AluOperation = 'add' | 'sub' | 'or' | 'and' | 'lsh' | 'rsh' | 'xor' | 'mov'

/** Comparison of {@link Jump}, unsigned. `set` means: a common bit is set. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'set'

interface Alu {
  readonly kind: 'alu'
  /** Width of the operation. 32-bit operations clear the upper half of the register. */
  readonly bits: 32 | 64
  readonly operation: AluOperation
  readonly to: Register
  readonly value: Register | number
}

interface Load {
  readonly kind: 'load'
  readonly width: Width
  readonly to: Register
  readonly base: Register
  readonly offset: number
}

interface Store {
  readonly kind: 'store'
  readonly width: Width
  readonly base: Register
  readonly offset: number
  readonly value: Register | number
}

interface AtomicAdd {
  readonly kind: 'atomicAdd'
  readonly base: Register
  readonly offset: number
  readonly value: Register
}

interface Jump {
  readonly kind: 'jump'
  readonly left: Register
  readonly comparison: Comparison
  readonly right: Register | number
  readonly label: string
}

/** Instruction of a program, or a label. */
export type Instruction =
  | Alu
  | Load
  | Store
  | AtomicAdd
  | Jump
  | { readonly kind: 'goto'; readonly label: string }
  | { readonly kind: 'map'; readonly to: Register; readonly map: string }
  | { readonly kind: 'call'; readonly helper: HelperName }
  | { readonly kind: 'exit' }
  | { readonly kind: 'label'; readonly name: string }

/** List of instructions and nested blocks. */
export type Block = readonly (Instruction | Block)[]

const alu =
  (operation: AluOperation, bits: 32 | 64) =>
  (to: Register, value: Register | number): Instruction => ({ kind: 'alu', bits, operation, to, value })

/** `to = value`. A number is sign-extended to 64 bits. */
export const mov = alu('mov', 64)
/** `to = value`, with the upper half zero. Needed for a number whose bit 31 is set. */
export const mov32 = alu('mov', 32)
/** `to += value` */
export const add = alu('add', 64)
/** `to &= value` */
export const and = alu('and', 64)
/** `to <<= value` */
export const lsh = alu('lsh', 64)

/** `to = *(base + offset)` */
export const load = (width: Width, to: Register, base: Register, offset: number): Instruction => ({
  kind: 'load',
  width,
  to,
  base,
  offset,
})

/** `*(base + offset) = value` */
export const store = (width: Width, base: Register, offset: number, value: Register | number): Instruction => ({
  kind: 'store',
  width,
  base,
  offset,
  value,
})

/** `*(base + offset) += value`, 64 bits, atomic across processors. */
export const atomicAdd = (base: Register, offset: number, value: Register): Instruction => ({
  kind: 'atomicAdd',
  base,
  offset,
  value,
})

/** Jumps to the label if the comparison is true. */
export const jump = (left: Register, comparison: Comparison, right: Register | number, label: string): Instruction => ({
  kind: 'jump',
  left,
  comparison,
  right,
  label,
})

/** Jumps to the label. */
export const goto = (label: string): Instruction => ({ kind: 'goto', label })

/** Loads a reference to the map into `to`. */
export const map = (to: Register, name: string): Instruction => ({ kind: 'map', to, map: name })

/** Calls a helper with `r1` to `r5`, which the call overwrites. `r0` has the result. */
export const call = (helper: HelperName): Instruction => ({ kind: 'call', helper })

/** Ends the program with the result in `r0`. */
export const exit: Instruction = { kind: 'exit' }

/** Target of jumps. */
export const label = (name: string): Instruction => ({ kind: 'label', name })
