import { expect, test } from 'vitest'
import { similar } from './similar.ts'

const names = ['dry-run', 'cni-conf-name', 'status', 'json']

test.each([
  ['dry-rn', 'dry-run'],
  ['dryrun', 'dry-run'],
  ['cni-conf', 'cni-conf-name'],
  ['conf-name', 'cni-conf-name'],
  ['cni-cofn-name', 'cni-conf-name'],
  ['statsu', 'status'],
  ['jsno', 'json'],
])('%s is taken for %s', (name, meant) => {
  expect(similar(name, names)).toBe(meant)
})

test.each(['', 'x', 'node', 'uninstall', 'toString'])('%j is like none of them', (name) => {
  expect(similar(name, names)).toBeUndefined()
})
