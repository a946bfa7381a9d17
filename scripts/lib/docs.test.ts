import { expect, test } from 'vitest'
import { lengthProblems } from './docs.ts'

const page = (lines: number) => 'line\n'.repeat(lines)
const tooLong = ['packages/skel/README.md: 81 lines, at most 80: move details to a page of docs, and link to it']

test.each([
  ['a README of 80 lines passes', 'packages/skel/README.md', 80, []],
  ['a README of 81 lines is reported', 'packages/skel/README.md', 81, tooLong],
  ['a README in a folder of a package may be longer', 'packages/create-cni-plugin/template/README.md', 81, []],
  ['a page of the guide may be longer', 'docs/README.md', 81, []],
])('%s', (_, path, lines, problems) => {
  expect(lengthProblems(path, page(lines))).toEqual(problems)
})
