import type { Register } from './instruction.ts'

/** What is known of a register on one path. */
export type Known =
  | { readonly kind: 'nothing'; readonly lost: boolean }
  | { readonly kind: 'number'; readonly value?: number | undefined }
  | { readonly kind: 'context' }
  | { readonly kind: 'map'; readonly map: string }
  | { readonly kind: 'frame'; readonly offset: number }
  | Found

/** What a call found, or null as long as it is not tested; `from` tells which call. */
export type Found =
  | {
      readonly kind: 'value'
      readonly map: string
      readonly offset: number
      readonly from: number
      readonly tested: boolean
    }
  | { readonly kind: 'socket'; readonly from: number; readonly tested: boolean }

/** Everything that is known on one path; nothing in it is ever changed. */
export interface PathState {
  readonly registers: Readonly<Record<Register, Known>>
  /** Which bytes below the frame were written: `.` or `x` each, the lowest first. */
  readonly stack: string
  /** Sockets to give back, by the calls that found them. */
  readonly sockets: readonly number[]
}

/** Bytes below the frame that a program may use. */
export const STACK_BYTES = 512

const nothing: Known = { kind: 'nothing', lost: false }

/** How a program begins. */
export const atStart: PathState = {
  registers: {
    r0: nothing,
    r1: { kind: 'context' },
    r2: nothing,
    r3: nothing,
    r4: nothing,
    r5: nothing,
    r6: nothing,
    r7: nothing,
    r8: nothing,
    r9: nothing,
    r10: { kind: 'frame', offset: 0 },
  },
  stack: '.'.repeat(STACK_BYTES),
  sockets: [],
}

/** The same with another value in a register. */
export const withRegister = (state: PathState, register: Register, known: Known): PathState => ({
  ...state,
  registers: { ...state.registers, [register]: known },
})

/** The same with bytes of the stack written. */
export function withStack(state: PathState, offset: number, length: number): PathState {
  const at = STACK_BYTES + offset
  return { ...state, stack: state.stack.slice(0, at) + 'x'.repeat(length) + state.stack.slice(at + length) }
}

/** Are these bytes of the stack written? */
export const isWritten = ({ stack }: PathState, offset: number, length: number): boolean =>
  !stack.slice(STACK_BYTES + offset, STACK_BYTES + offset + length).includes('.')

/** The same when what a call found, wherever it is, turned out to be there, or to be null. */
export function tested(state: PathState, from: number, isNull: boolean): PathState {
  const next = (known: Known): Known => {
    if (!('from' in known) || known.from !== from) return known
    return isNull ? { kind: 'number', value: 0 } : { ...known, tested: true }
  }
  return {
    ...mapped(state, next),
    sockets: isNull ? state.sockets.filter((each) => each !== from) : state.sockets,
  }
}

/** The same when a socket was given back: no register has it any more. */
export function released(state: PathState, from: number): PathState {
  const next = (known: Known): Known =>
    'from' in known && known.from === from ? { kind: 'nothing', lost: true } : known
  return { ...mapped(state, next), sockets: state.sockets.filter((each) => each !== from) }
}

/** The same after a call, which takes the registers of its arguments. */
export function called(state: PathState, result: Known): PathState {
  const lost: Known = { kind: 'nothing', lost: true }
  return {
    ...state,
    registers: { ...state.registers, r0: result, r1: lost, r2: lost, r3: lost, r4: lost, r5: lost },
  }
}

// internal

const registerNames: readonly Register[] = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10']

function mapped(state: PathState, next: (known: Known) => Known): PathState {
  const registers = { ...state.registers }
  for (const name of registerNames) registers[name] = next(registers[name])
  return { ...state, registers }
}
