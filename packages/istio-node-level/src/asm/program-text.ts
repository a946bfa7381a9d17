import type { Instruction } from './instruction.ts'

/** The sizes of a map's keys and values, in bytes. */
export interface MapSizes {
  readonly keySize: number
  readonly valueSize: number
}

/** A program, as data. */
export interface ProgramText {
  /** At most 15 of `A-Z a-z 0-9 _ .`. */
  readonly name: string
  /** Those that it refers to. */
  readonly maps: Readonly<Record<string, MapSizes>>
  readonly instructions: readonly Instruction[]
}
