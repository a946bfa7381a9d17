import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { BuildError } from './errors.ts'
import { type SourcePositions, sourcePositions } from './small/source-positions.ts'

/**
 * Replaces bundle positions in an executable's log by positions in source files, line by line.
 *
 * @throws BuildError `USAGE` if `mapFile` is not the source map of an executable
 */
export async function* translate(mapFile: string, log: AsyncIterable<Uint8Array> | undefined): AsyncGenerator<string> {
  const positions = readMap(mapFile)
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of log ?? []) {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf('\n') + 1
    if (end > 0) yield positions.replaceIn(rest.slice(0, end))
    rest = rest.slice(end)
  }
  yield positions.replaceIn(rest + decoder.decode())
}

// internal

function readMap(file: string): SourcePositions {
  try {
    return sourcePositions(readFileSync(file, 'utf8'), dirname(file))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new BuildError('USAGE', `where: ${file} is not the map of an executable: ${why}`, { cause })
  }
}
