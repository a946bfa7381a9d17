import { expect, it } from 'vitest'
import { isRuntimeVariable } from './runtime-variables.ts'

it.each([
  ['BUN_INSPECT', { bun: true, node: false }],
  ['BUN_JSC_useJIT', { bun: true, node: false }],
  ['BUN_OF_A_LATER_VERSION', { bun: true, node: false }],
  ['MIMALLOC_VERBOSE', { bun: true, node: false }],
  ['Mimalloc_Verbose', { bun: true, node: false }],
  ['NODE_TLS_REJECT_UNAUTHORIZED', { bun: true, node: true }],
  ['NODE_V8_COVERAGE', { bun: false, node: true }],
  ['OPENSSL_CONF', { bun: false, node: true }],
  // set in a developer's shell
  ['BUN_INSTALL', { bun: false, node: false }],
  // set by the downward API
  ['NODE_NAME', { bun: false, node: false }],
  // not read by either runtime
  ['NODE_OPTIONS', { bun: false, node: false }],
  ['XBUN_INSPECT', { bun: false, node: false }],
  ['bun_inspect', { bun: false, node: false }],
  ['BUN', { bun: false, node: false }],
  ['PATH', { bun: false, node: false }],
  ['', { bun: false, node: false }],
])('%s: %j', (name, expected) => {
  expect({ bun: isRuntimeVariable(name, 'bun'), node: isRuntimeVariable(name, 'node') }).toEqual(expected)
})
