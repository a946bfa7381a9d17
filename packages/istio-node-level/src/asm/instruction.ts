import type { HelperName } from './helpers.ts'

/** Register of the eBPF machine. Calls preserve `r6` to `r9`; `r10` is the frame pointer. */
export type Register = 'r0' | 'r1' | 'r2' | 'r3' | 'r4' | 'r5' | 'r6' | 'r7' | 'r8' | 'r9' | 'r10'

/** Width of an eBPF memory access. */
export type Width = 'u8' | 'u16' | 'u32' | 'u64'

/** Operation of an {@link Alu} instruction, such as `add`. */
export type AluOperation = 'add' | 'sub' | 'or' | 'and' | 'lsh' | 'rsh' | 'xor' | 'mov'

/** Unsigned comparison of a {@link Jump}. `set` is true if both operands have a common 1 bit. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'set'

interface Alu {
  readonly kind: 'alu'
  /** Width of the eBPF arithmetic operation in bits. A 32-bit operation clears the upper half of the register. */
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

/** Instruction of an eBPF program, or a label. */
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

/** List of eBPF instructions and nested lists, from which a program is built. */
export type Block = readonly (Instruction | Block)[]

const alu =
  (operation: AluOperation, bits: 32 | 64) =>
  (to: Register, value: Register | number): Instruction => ({ kind: 'alu', bits, operation, to, value })

/** eBPF instruction `to = value`. A number is sign-extended to 64 bits. */
export const mov = alu('mov', 64)
/** eBPF instruction `to = value` in 32 bits, for numbers with bit 31 set. */
export const mov32 = alu('mov', 32)
/** eBPF instruction `to += value`. */
export const add = alu('add', 64)
/** eBPF instruction `to &= value`. */
export const and = alu('and', 64)
/** eBPF instruction `to <<= value`. */
export const lsh = alu('lsh', 64)

/** eBPF load instruction `to = *(base + offset)`. */
export const load = (width: Width, to: Register, base: Register, offset: number): Instruction => ({
  kind: 'load',
  width,
  to,
  base,
  offset,
})

/** eBPF store instruction `*(base + offset) = value`. */
export const store = (width: Width, base: Register, offset: number, value: Register | number): Instruction => ({
  kind: 'store',
  width,
  base,
  offset,
  value,
})

/** eBPF instruction `*(base + offset) += value`, 64 bits, atomic across processors. */
export const atomicAdd = (base: Register, offset: number, value: Register): Instruction => ({
  kind: 'atomicAdd',
  base,
  offset,
  value,
})

/** eBPF instruction that jumps to a label if the comparison is true. */
export const jump = (left: Register, comparison: Comparison, right: Register | number, label: string): Instruction => ({
  kind: 'jump',
  left,
  comparison,
  right,
  label,
})

/** eBPF instruction that always jumps to a label. */
export const goto = (label: string): Instruction => ({ kind: 'goto', label })

/** eBPF instruction that loads a reference to a map into the register `to`. */
export const map = (to: Register, name: string): Instruction => ({ kind: 'map', to, map: name })

/** eBPF instruction that calls a kernel helper. The result is in `r0`. */
export const call = (helper: HelperName): Instruction => ({ kind: 'call', helper })

/** eBPF instruction that ends the program. `r0` has the result. */
export const exit: Instruction = { kind: 'exit' }

/** Label in an eBPF program: the target of jumps. */
export const label = (name: string): Instruction => ({ kind: 'label', name })
