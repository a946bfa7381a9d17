import { builtinModules } from 'node:module'
import { expect, it } from 'vitest'
import { ABSENT_GLOBALS, findAbsentGlobals } from './absent-globals.ts'

it('lists only globals that Node has, and the variables of a CommonJS module', () => {
  const known = new Set([...Object.getOwnPropertyNames(globalThis), ...builtinModules, '__dirname', '__filename'])
  expect(ABSENT_GLOBALS.filter((name) => !known.has(name))).toEqual([])
})

it('distinguishes a use of a global from a check that it exists', () => {
  const text =
    'typeof fetch_is_not_in_the_small_runtime=="function"?fetch_is_not_in_the_small_runtime():other_is_not_in()'
  expect(findAbsentGlobals(text)).toEqual([
    { name: 'fetch', index: 7, isGuard: true },
    { name: 'fetch', index: text.indexOf('?') + 1, isGuard: false },
  ])
})
