/** A folder of state files, as a store uses it. Names are file names. */
export interface StateFolder {
  /** Path of the folder. */
  readonly path: string
  /**
   * Text of a file; `undefined` if it does not exist.
   *
   * @throws StateError if it is not a safe regular file, or cannot be read.
   */
  read(name: string): string | undefined
  /**
   * Replaces a file atomically: readers see the old text or the new one.
   *
   * @throws StateError if it cannot be written.
   */
  write(name: string, text: string): void
  /**
   * Removes a file, and the partial file of a killed process. True if the file existed.
   *
   * @throws StateError if it cannot be removed.
   */
  remove(name: string): boolean
  /**
   * Names of all files, sorted; empty if the folder does not exist.
   *
   * @throws StateError if it cannot be read.
   */
  list(): readonly string[]
  /** Removes partial files of killed processes that are older than an hour. */
  sweep(): void
}

/** Maximum size of a state file in bytes. Larger ones are neither written nor read. */
export const MAX_BYTES = 4 * 1024 * 1024
