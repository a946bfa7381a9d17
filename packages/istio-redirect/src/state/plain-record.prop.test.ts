import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tampered } from '../../test/tampered.ts'
import { captureDefaults } from '../redirect/config.ts'
import { recordSchema } from './attachments.ts'
import { isPlainRecord } from './plain-record.ts'

const record = {
  netns: { dev: 4, ino: 4_026_532_281 },
  backend: 'nft',
  families: ['ipv4', 'ipv6'],
  rules: {
    ...captureDefaults,
    includeInboundPorts: '*',
    excludeInboundPorts: [15_020],
    includeOutboundIPRanges: { ipv4: ['10.0.0.0/8'], ipv6: [] },
    excludeInterfaces: ['eth1'],
    ownerGroups: { mode: 'only', groups: [1, 'a'] },
  },
  tproxy: { mark: 1337, table: 133 },
  applied: true,
  generation: 2,
}

test('a record that is vouched for is one that the schema reads as it is', () => {
  const schema = recordSchema()
  for (const tproxy of [null, record.tproxy]) expect(isPlainRecord({ ...record, tproxy, backend: null })).toBe(true)
  let vouched = 0
  fc.assert(
    fc.property(tampered(record), (document) => {
      if (!isPlainRecord(document)) return
      vouched++
      // The schema leaves out what it does not know.
      expect(document).toMatchObject(schema.parse(document))
    }),
    { numRuns: 3000 },
  )
  expect(vouched).toBeGreaterThan(300)
})
