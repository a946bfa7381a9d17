import type { Instruction } from './instruction.ts'

/** Sizes of a map's keys and values, in bytes. */
export interface MapSizes {
  readonly keySize: number
  readonly valueSize: number
}

/** Program as data. */
export interface ProgramText {
  /** Name of the program: at most 15 characters of `A-Z a-z 0-9 _ .`. */
  readonly name: string
  /** Maps that the program uses, by name. */
  readonly maps: Readonly<Record<string, MapSizes>>
  readonly instructions: readonly Instruction[]
}
