import { expect, test } from 'vitest'
import { misspelt, suggestion } from './similar.ts'

const names = ['dry-run', 'cni-conf-name', 'status', 'json']

test.each([
  ['dry-rn', 'dry-run'],
  ['dryrun', 'dry-run'],
  ['cni-conf', 'cni-conf-name'],
  ['conf-name', 'cni-conf-name'],
  ['cni-cofn-name', 'cni-conf-name'],
  ['statsu', 'status'],
  ['jsno', 'json'],
])('%s suggests %s', (name, meant) => {
  expect(suggestion(name, names)).toBe(`, did you mean ${meant}?`)
})

test.each(['', 'x', 'node', 'uninstall', 'toString'])('%j suggests nothing', (name) => {
  expect(suggestion(name, names)).toBe('')
})

const members = ['port', 'exempt_uid', 'runtimeConfig', 'mtu']

test.each([
  ['prot', 'port'],
  ['ports', 'port'],
  ['Port', 'port'],
  ['exemptUid', 'exempt_uid'],
  ['EXEMPT-UIDS', 'exempt_uid'],
  ['runtimeconfg', 'runtimeConfig'],
])('%s is a misspelling of %s', (name, meant) => {
  expect(misspelt(name, members)).toBe(meant)
})

test.each(['portMappings', 'mt', 'mtuProbing', 'exempt', 'x'.repeat(100_000)])('%.20s is not a misspelling', (name) => {
  expect(misspelt(name, members)).toBeUndefined()
})
