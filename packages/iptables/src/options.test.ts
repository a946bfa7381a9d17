import { iptables } from '@cni/iptables'
import { expect, test } from 'vitest'

test.each([
  ['no family', { families: [] }],
  ['no seconds to wait', { waitSeconds: 0 }],
])('invalid options are refused before anything runs: %s', (_, options) => {
  expect(() => iptables('host', options)).toThrow(expect.objectContaining({ code: 'INVALID_RULE' }))
})
