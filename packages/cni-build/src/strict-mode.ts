import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type * as Esbuild from 'esbuild'

/** True if all modules of a bundle are in strict mode. The bundle does not show this: esbuild omits the directive. */
export function isAllStrict(folder: string, { inputs }: Esbuild.Metafile): boolean {
  return Object.entries(inputs).every(
    ([path, { format }]) => format === 'esm' || path.endsWith('.json') || saysStrict(resolve(folder, path)),
  )
}

/** Inserts the directive "use strict" at the beginning of a bundle, after a hashbang if there is one. */
export function strict(text: string): string {
  const shell = /^#!.*\n/.exec(text)?.[0] ?? ''
  const rest = text.slice(shell.length)
  return rest.startsWith('"use strict"') ? text : `${shell}"use strict";${rest}`
}

// internal

const DIRECTIVE = /^(?:#!.*\n)?(?:\s|\/\/.*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(['"])use strict\1\s*(?:;|\n|$)/

function saysStrict(file: string): boolean {
  try {
    return DIRECTIVE.test(readFileSync(file, 'utf8'))
  } catch {
    // The build generated this module for a missing package. Strict mode does not affect the module.
    return true
  }
}
