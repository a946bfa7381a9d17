import { basename } from 'node:path'
import type { BuiltExecutable } from './build-executable.ts'

/** What was built, in lines for people. */
export function report(built: BuiltExecutable): string[] {
  const size = `${(built.bytes / 1e6).toFixed(1)} MB, of which ${(built.bundleBytes / 1e3).toFixed(1)} kB is the bundle`
  const what = `${built.compiled ? 'compiled' : 'unchanged'}, ${built.runtime} ${built.version}, ${built.target}`
  const lines = [`${basename(built.outfile)}: ${what}`, `  size      ${size}`]
  if (built.startMs !== undefined) lines.push(`  start-up  ${built.startMs.toFixed(1)} ms`)
  if (built.notStarted !== undefined) lines.push(`  start-up  not measured: ${built.notStarted}`)
  return [...lines, `  needs     ${needs(built)}`]
}

/** Who takes how much of the bundle. */
export const shareTable = ({ packages }: BuiltExecutable): string[] =>
  packages.map(({ package: name, bytes }) => `  ${(bytes / 1e3).toFixed(1).padStart(7)} kB  ${name}`)

function needs({ needs: host }: BuiltExecutable): string {
  if (host === undefined) return 'a mounted /proc'
  const library = host.glibc === undefined ? `a C library (${host.loader})` : `glibc ${host.glibc} or later`
  return [library, ...host.libraries, 'a mounted /proc'].join(', ')
}
