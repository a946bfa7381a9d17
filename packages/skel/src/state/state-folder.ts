/** A folder of state files: the one port of a store. Names are file names. */
export interface StateFolder {
  /** The path of the folder. */
  readonly path: string
  /**
   * The text of a file; `undefined` when there is none.
   *
   * @throws StateError when it is no file of ours, or cannot be read.
   */
  read(name: string): string | undefined
  /**
   * Replaces a file, whatever it was: readers see the old text or the new.
   *
   * @throws StateError when it cannot be written.
   */
  write(name: string, text: string): void
  /**
   * Removes a file, and what a killed process left of it half written; whether there was a file.
   *
   * @throws StateError when it cannot be removed.
   */
  remove(name: string): boolean
  /**
   * The names of all files, sorted; none when there is no folder.
   *
   * @throws StateError when it cannot be read.
   */
  list(): readonly string[]
  /** Removes what killed processes left half written an hour ago and earlier. */
  sweep(): void
}

/** Bytes of the largest state file: what is written above is refused, and what is found above is not read. */
export const MAX_BYTES = 4 * 1024 * 1024
