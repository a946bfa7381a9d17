/** A folder with state files. Methods take the name of a file in the folder. */
export interface StateFolder {
  /** Path of the folder with the state files. */
  readonly path: string
  /**
   * Reads the text of a state file; `undefined` if the file does not exist.
   *
   * @throws StateError if the file is not a safe regular file, or cannot be read.
   */
  read(name: string): string | undefined
  /**
   * Replaces a state file atomically: readers see the old text or the new one.
   *
   * @throws StateError if the file cannot be written.
   */
  write(name: string, text: string): void
  /**
   * Removes a state file and its partially written copy. Returns true if the state file existed.
   *
   * @throws StateError if the file cannot be removed.
   */
  remove(name: string): boolean
  /**
   * Names of all state files in the folder, sorted; empty if the folder does not exist.
   *
   * @throws StateError if the folder cannot be read.
   */
  list(): readonly string[]
  /** Removes partially written state files of killed processes that are older than an hour. */
  sweep(): void
}

/** Maximum size of a state file in bytes. Larger files are neither written nor read. */
export const MAX_BYTES = 4 * 1024 * 1024
