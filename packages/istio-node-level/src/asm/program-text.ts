import type { Instruction } from './instruction.ts'

/** Sizes of an eBPF map's keys and values, in bytes. */
export interface MapSizes {
  readonly keySize: number
  readonly valueSize: number
}

/** eBPF program: its name, its maps and its instructions. */
export interface ProgramText {
  /** Name of the eBPF program: at most 15 characters of `A-Z a-z 0-9 _ .`. */
  readonly name: string
  /** Maps that the eBPF program uses, by name. */
  readonly maps: Readonly<Record<string, MapSizes>>
  readonly instructions: readonly Instruction[]
}
