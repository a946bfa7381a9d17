import { writeAll } from './write-all.ts'

/**
 * Writes a whole text to a stream of this process. On bun with its own writer, which needs no module: `node:fs` takes
 * 1.3 ms to load, more than all else that VERSION does.
 *
 * @returns the error that kept it from being written, such as EPIPE when nobody reads.
 */
export async function writeText(stream: 'stdout' | 'stderr', text: string): Promise<Error | undefined> {
  if (process.versions.bun === undefined) return writeAll(stream === 'stdout' ? 1 : 2, text)
  // foreign API without types: the parse boundary
  const { Bun } = globalThis as unknown as { Bun: BunStreams }
  try {
    await Bun.write(Bun[stream], text)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

interface BunStreams {
  readonly stdout: object
  readonly stderr: object
  write(to: object, text: string): Promise<number>
}
