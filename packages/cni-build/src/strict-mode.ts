import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type * as Esbuild from 'esbuild'

/**
 * Reports whether each module of a bundle is strict. ES modules are; a CommonJS module is where it says so. esbuild does not
 * write the directive for ES modules, and bun drops the directive of a function.
 */
export function isAllStrict(folder: string, { inputs }: Esbuild.Metafile): boolean {
  return Object.entries(inputs).every(
    ([path, { format }]) => format === 'esm' || path.endsWith('.json') || saysStrict(resolve(folder, path)),
  )
}

/** Puts the directive where it counts: before all but a first line for the shell. */
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
    // `absent()` makes modules that have no file. Strict mode changes nothing in them.
    return true
  }
}
