import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type CaptureConfig, captureDefaults } from '../../../../istio-rules/src/capture/config.ts'
import { makeBatch } from '../../decide/make-batch.ts'
import { cachedBatches } from './cached-batches.ts'

const captured = (proxyPort: number, more: Partial<CaptureConfig> = {}): CaptureConfig => ({
  ...captureDefaults,
  proxyPort,
  includeOutboundIPRanges: '*',
  ...more,
})

describe('cached batches', () => {
  test('equal newly made batches, for each back end and family', () => {
    const cached = cachedBatches(makeBatch)
    const one = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.boolean(), fc.constantFrom('iptables-nft', 'nftables'))
    fc.assert(
      fc.property(one, ([port, ipv6, backend]) => {
        const config = captured(port, { ipv6 })
        expect(cached(config, backend)).toEqual(makeBatch(config, backend))
      }),
    )
  })

  test('are made once for pods with equal capture settings', () => {
    const make = vi.fn(makeBatch)
    const cached = cachedBatches(make)
    for (let pod = 0; pod < 3; pod++) expect(cached(captured(15001), 'iptables-nft')?.byteLength).toBeGreaterThan(1000)
    expect(make).toHaveBeenCalledTimes(1)
  })

  test('are at most 32, the least recently used are dropped', () => {
    const make = vi.fn(makeBatch)
    const cached = cachedBatches(make)
    for (let port = 1; port <= 33; port++) {
      cached(captured(port), 'iptables-nft')
      cached(captured(1), 'iptables-nft')
    }
    expect(make).toHaveBeenCalledTimes(33)
    cached(captured(1), 'iptables-nft')
    expect(make).toHaveBeenCalledTimes(33)
    cached(captured(2), 'iptables-nft')
    expect(make).toHaveBeenCalledTimes(34)
  })

  test('are not cached if they are large or missing', () => {
    const make = vi.fn(makeBatch)
    const cached = cachedBatches(make)
    const ports = Array.from({ length: 500 }, (_, index) => index + 1)
    for (const config of [captured(1, { excludeOutboundPorts: ports }), captured(2, { dropInvalid: true })]) {
      make.mockClear()
      make.mockReturnValueOnce(config.dropInvalid ? undefined : makeBatch(config, 'iptables-nft'))
      cached(config, 'iptables-nft')
      cached(config, 'iptables-nft')
      expect(make).toHaveBeenCalledTimes(2)
    }
  })
})
