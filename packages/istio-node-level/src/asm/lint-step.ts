import type { Register, Width } from './instruction.ts'
import { context, socket, writableContext } from './layout.ts'
import { fail, type Line } from './lines.ts'
import { afterCall } from './lint-call.ts'
import { isWritten, type Known, type PathState, STACK_BYTES, withRegister, withStack } from './lint-state.ts'
import type { ProgramText } from './program-text.ts'

/** Simulates an eBPF instruction that does not jump, and returns the new state. */
export function after(program: ProgramText, line: Line, at: number, state: PathState): PathState {
  const { name, maps } = program
  const { operation: it } = line
  switch (it.kind) {
    case 'alu': {
      const value: Known =
        typeof it.value === 'number' ? { kind: 'number', value: it.value } : read(name, line, state, it.value)
      if (it.operation === 'mov') return written(name, line, state, it.to, value)
      return written(name, line, state, it.to, computed(name, line, read(name, line, state, it.to), value))
    }
    case 'load':
      checkMemory(program, line, state, it, false)
      return written(name, line, state, it.to, { kind: 'number' })
    case 'store': {
      if (typeof it.value !== 'number') {
        const value = read(name, line, state, it.value)
        if (value.kind !== 'number') fail(name, line, 'TYPE', `${it.value} is not a number`)
      }
      return checkMemory(program, line, state, it, true)
    }
    case 'atomicAdd':
      read(name, line, state, it.value)
      return checkMemory(program, line, state, { ...it, width: 'u64' }, true)
    case 'map':
      if (maps[it.map] === undefined) fail(name, line, 'MAP', `the program has no map ${it.map}`)
      return written(name, line, state, it.to, { kind: 'map', map: it.map })
    case 'call':
      return afterCall(program, line, at, state, (register) => read(name, line, state, register))
    default:
      return state
  }
}

/** Reads a register of the eBPF program. Throws `UNSET` if the register's content is unknown. */
export function read(name: string, line: Line, state: PathState, register: Register): Known {
  const known = state.registers[register]
  if (known.kind !== 'nothing') return known
  return fail(name, line, 'UNSET', `${register} ${known.lost ? 'is lost after a call' : 'was never set'} on some path`)
}

// internal

const BYTES: Readonly<Record<Width, number>> = { u8: 1, u16: 2, u32: 4, u64: 8 }

function written(name: string, line: Line, state: PathState, to: Register, known: Known): PathState {
  if (to === 'r10') fail(name, line, 'TYPE', 'r10 cannot be written')
  return withRegister(state, to, known)
}

/** Computes the result of an arithmetic eBPF instruction on numbers or pointers. */
function computed(name: string, line: Line, to: Known, by: Known): Known {
  if (to.kind === 'number' && by.kind === 'number') return { kind: 'number' }
  const isSum = line.operation.kind === 'alu' && line.operation.operation === 'add'
  if (isSum && by.kind === 'number' && by.value !== undefined) {
    if (to.kind === 'frame') return { ...to, offset: to.offset + by.value }
    if (to.kind === 'value' && to.tested) return { ...to, offset: to.offset + by.value }
    if (to.kind === 'value') return fail(name, line, 'UNTESTED', 'the result of the lookup may be null')
  }
  return fail(name, line, 'TYPE', `nothing can be computed with ${to.kind} and ${by.kind}`)
}

interface Access {
  readonly width: Width
  readonly base: Register
  readonly offset: number
}

/** Checks a memory access of an eBPF program, and returns the new state. */
function checkMemory(program: ProgramText, line: Line, state: PathState, access: Access, writes: boolean): PathState {
  const { name, maps } = program
  const base = read(name, line, state, access.base)
  const length = BYTES[access.width]
  if ('from' in base && !base.tested) fail(name, line, 'UNTESTED', `${access.base} may be null`)
  switch (base.kind) {
    case 'frame': {
      const from = base.offset + access.offset
      if (from < -STACK_BYTES || from + length > 0) fail(name, line, 'RANGE', 'the access is outside of the stack')
      if (from % length !== 0) fail(name, line, 'RANGE', `the offset is not a multiple of ${length} bytes`)
      if (writes) return withStack(state, from, length)
      if (!isWritten(state, from, length))
        fail(name, line, 'UNSET', 'this part of the stack was not written on some path')
      return state
    }
    case 'value': {
      const from = base.offset + access.offset
      const size = maps[base.map]?.valueSize ?? 0
      if (from < 0 || from + length > size) fail(name, line, 'RANGE', `values of map ${base.map} have ${size} bytes`)
      return state
    }
    case 'context': {
      const readable: readonly number[] = Object.values(context)
      if (!(writes ? writableContext : readable).includes(access.offset))
        fail(
          name,
          line,
          'RANGE',
          `programs must not ${writes ? 'write' : 'read'} the context at offset ${access.offset}`,
        )
      if (length !== 4) fail(name, line, 'RANGE', 'fields of the context have four bytes')
      if (line.operation.kind === 'store' && typeof line.operation.value === 'number')
        fail(name, line, 'TYPE', 'kernels before 6.2 only write registers into the context, not numbers')
      return state
    }
    case 'socket': {
      const readable: readonly number[] = Object.values(socket)
      if (writes || !readable.includes(access.offset))
        fail(name, line, 'RANGE', 'programs must not access this offset of a socket')
      return state
    }
    default:
      return fail(name, line, 'TYPE', `${access.base} is not an address: ${base.kind}`)
  }
}
