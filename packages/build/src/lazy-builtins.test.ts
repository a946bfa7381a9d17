import { expect, test } from 'vitest'
import { importsMembers } from './lazy-builtins.ts'

test.each([
  [`import { a } from 'node:fs'`, true],
  [`import{a as b,c}from"node:fs";import d from"node:path"`, true],
  [`import type { Stats } from 'node:fs'\nimport {\n  a,\n  b,\n} from 'node:fs'`, true],
  [`export { a } from 'node:fs'`, true],
  [`import 'node:net'\nimport { a } from 'node:fs'`, true],
  [`export * from 'node:fs'`, false],
  [`import fs, { a } from 'node:fs'`, false],
  [`import { a } from 'node:fs'\nimport * as fs from 'node:fs'`, false],
  [`import 'node:fs'`, false],
  [`import { a } from 'node:fs/promises'`, false],
])('members only, %j: %s', (source, expected) => {
  expect(importsMembers(source, 'node:fs')).toBe(expected)
})
