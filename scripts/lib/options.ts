import { type ParseArgsConfig, parseArgs } from 'node:util'
import { Stop } from './progress.ts'

/** Parses the command line of a script. If an option is invalid, the script ends with exit code 2. */
export function parsed<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new Stop(`${error instanceof Error ? error.message : error}. --help lists the options`, 2)
  }
}
