import type { HelperName } from './helpers.ts'

/** The result of calls, what survives them (`r6` to `r9`), their arguments, and the frame (`r10`, of 512 bytes below it). */
export type Register = 'r0' | 'r1' | 'r2' | 'r3' | 'r4' | 'r5' | 'r6' | 'r7' | 'r8' | 'r9' | 'r10'

/** One, two, four or eight bytes. */
export type Width = 'u8' | 'u16' | 'u32' | 'u64'

/** How {@link Alu} computes. */
export type AluOperation = 'add' | 'sub' | 'or' | 'and' | 'lsh' | 'rsh' | 'xor' | 'mov'

/** How {@link Jump} compares, without signs; `set`: a bit in common. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'set'

interface Alu {
  readonly kind: 'alu'
  /** Those of 32 bits clear the upper half of the register. */
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

/** One instruction of a program, or a place to jump to. */
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

/** Instructions, and blocks of them in blocks. */
export type Block = readonly (Instruction | Block)[]

const alu =
  (operation: AluOperation, bits: 32 | 64) =>
  (to: Register, value: Register | number): Instruction => ({ kind: 'alu', bits, operation, to, value })

/** `to = value`; a number is extended with its sign to 64 bits. */
export const mov = alu('mov', 64)
/** `to = value`, and zeros above: the only way to a number whose highest bit of 32 is set. */
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

/** `*(base + offset) += value`, of 64 bits, whichever processor does it too. */
export const atomicAdd = (base: Register, offset: number, value: Register): Instruction => ({
  kind: 'atomicAdd',
  base,
  offset,
  value,
})

/** Goes to the label if so. */
export const jump = (left: Register, comparison: Comparison, right: Register | number, label: string): Instruction => ({
  kind: 'jump',
  left,
  comparison,
  right,
  label,
})

/** Goes to the label. */
export const goto = (label: string): Instruction => ({ kind: 'goto', label })

/** `to` refers to the map of that name. */
export const map = (to: Register, name: string): Instruction => ({ kind: 'map', to, map: name })

/** Calls the kernel with `r1` to `r5`, which are gone afterwards; `r0` is what it returns. */
export const call = (helper: HelperName): Instruction => ({ kind: 'call', helper })

/** Ends with `r0`. */
export const exit: Instruction = { kind: 'exit' }

/** A place to jump to. */
export const label = (name: string): Instruction => ({ kind: 'label', name })
