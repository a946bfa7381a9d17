import { rulesFor } from '@cni/iptables/rules'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyConfig } from '../../test/random-config.ts'
import { redirectRules } from '../iptables/rules.ts'
import { nativeRules } from '../nftables/rules.ts'
import { ruleCount } from './rule-count.ts'

test('the count from the lengths of lists is at least the number of rules', () => {
  fc.assert(
    fc.property(anyConfig, (config) => {
      const count = ruleCount(config)
      expect(rulesFor(redirectRules(config), 'ipv4').length).toBeLessThanOrEqual(count)
      expect(rulesFor(redirectRules(config), 'ipv6').length).toBeLessThanOrEqual(count)
      const native = nativeRules(config).tables.flatMap(({ chains }) => chains.flatMap(({ rules }) => rules))
      expect(native.length).toBeLessThanOrEqual(count)
    }),
  )
})
