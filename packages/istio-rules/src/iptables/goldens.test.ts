import { createHash } from 'node:crypto'
import type { Family } from '@cni/iptables/rules'
import { expect, test } from 'vitest'
import { goldens } from '../../test/goldens/cases.ts'
import { redirectRules } from './rules.ts'
import { istioRestoreText } from './text.ts'

const texts = goldens.flatMap(({ name, config, ipv4, ipv6 }) => [
  { name, config, family: 'ipv4' as Family, fingerprint: ipv4 },
  ...(ipv6 ? [{ name, config, family: 'ipv6' as Family, fingerprint: ipv6 }] : []),
])

// The files are for readers, and `vitest -u` writes them. The fingerprints decide.
test.each(texts)(
  'the $family rules of $name have the same bytes as Istio’s',
  async ({ name, config, family, fingerprint }) => {
    const text = istioRestoreText(redirectRules(config), family)
    await expect(text).toMatchFileSnapshot(`../../test/goldens/${name}.${family}.txt`)
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect([text.split('\n').length - 1, sha256.slice(0, 16)]).toEqual(fingerprint)
  },
)

test.each(goldens.filter(({ config }) => !config.ipv6))('$name has no IPv6 rules', ({ config }) => {
  expect(istioRestoreText(redirectRules(config), 'ipv6')).toBe('')
})
