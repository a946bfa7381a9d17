import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type * as Esbuild from 'esbuild'

/**
 * True if all modules of a bundle are in strict mode: ES modules, and CommonJS modules with the directive "use strict".
 * The build puts one directive at the beginning of such a bundle. Reason: esbuild omits the directive of ES modules.
 */
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
    // Counts a module without a file as strict. The build generated the module for a missing package, and strict mode
    // has no effect on it.
    return true
  }
}
