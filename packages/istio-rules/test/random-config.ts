import fc from 'fast-check'
import { parsePod } from '../../kube/src/client/parse-pod.ts'
import { type CaptureConfig, captureConfig } from '../src/capture/config.ts'
import { redirectFor } from '../src/capture/redirect.ts'
import { skipReason } from '../src/decide/skip-reason.ts'
import { podInfo } from '../src/pod/pod-info.ts'
import { RedirectError } from '../src/pod/redirect-error.ts'
import { type PodCase, podCase } from './random-pod.ts'

const port = fc.oneof(fc.constantFrom(0, 53, 80, 8080, 15021, 65535), fc.integer({ min: 0, max: 65535 }))
const ports = fc.uniqueArray(port, { maxLength: 4 })
const id = fc.oneof(fc.constantFrom(0, 1, 1000, 1337, 0xffff_fffe), fc.nat({ max: 0xffff_fffe }))
const ids = fc.oneof(fc.constant([1337]), fc.uniqueArray(id, { minLength: 1, maxLength: 3 }))

/** Interface names for random configurations. Some names are keywords of nft or contain a wildcard of nft. */
const name = fc.oneof(
  fc.constantFrom('eth0', 'net1', 'k6t-_.x', 'tcp', 'drop', 'counter', 'set', 'ip', 'e.1', 'x'.repeat(15)),
  fc.stringMatching(/^[a-zA-Z][\w.-]{0,14}$/),
)
const names = fc.uniqueArray(name, { maxLength: 3 })

const ipv4 = fc
  .tuple(fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }), fc.integer({ min: 0, max: 32 }))
  .map(([bytes, bits]) => `${bytes.join('.')}/${bits}`)
const ipv6 = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 0xffff }), { minLength: 8, maxLength: 8 }),
    fc.integer({ min: 0, max: 128 }),
  )
  .map(([groups, bits]) => `${groups.map((group) => group.toString(16)).join(':')}/${bits}`)
const ranges = fc.record({
  ipv4: fc.uniqueArray(
    fc.oneof(fc.constantFrom('0.0.0.0/0', '10.0.0.0/8', '10.7.3.7/24', '127.0.0.53/32', '192.168.0.0/20'), ipv4),
    { maxLength: 3 },
  ),
  ipv6: fc.uniqueArray(fc.oneof(fc.constantFrom('::/0', 'fd00::/8', '::1/128', '2001:db8::5/33'), ipv6), {
    maxLength: 3,
  }),
})
const servers = fc.record({
  ipv4: fc.uniqueArray(fc.constantFrom('10.96.0.10', '127.0.0.53', '8.8.8.8'), { maxLength: 2 }),
  ipv6: fc.uniqueArray(fc.constantFrom('fd00::a', '2001:4860:4860::8888'), { maxLength: 2 }),
})

/** Generator of random capture configurations of pods. */
const ofPod: fc.Arbitrary<CaptureConfig> = podCase.map(configOf).filter((config) => config !== undefined)

/**
 * Generator of random capture configurations that a command line can express. A pod can request only some of these
 * configurations.
 */
const ofCommandLine: fc.Arbitrary<CaptureConfig> = fc.record({
  ipv6: fc.boolean(),
  interceptionMode: fc.constantFrom('REDIRECT', 'TPROXY'),
  proxyPort: fc.constantFrom(15001, 1),
  inboundCapturePort: fc.constantFrom(15006, 65535),
  inboundTunnelPort: fc.constantFrom(15008, 443),
  proxyUIDs: ids,
  proxyGIDs: ids,
  tproxyMark: fc.constantFrom(1337, 1, 0xffff_ffff),
  tproxyRouteTable: fc.constant(133),
  includeInboundPorts: fc.oneof(fc.constant('*' as const), ports),
  excludeInboundPorts: ports,
  includeOutboundPorts: ports,
  excludeOutboundPorts: ports,
  includeOutboundIPRanges: fc.oneof(fc.constant('*' as const), ranges),
  excludeOutboundIPRanges: ranges,
  excludeInterfaces: names,
  rerouteVirtualInterfaces: names,
  ownerGroups: fc.record({
    mode: fc.constantFrom('all-except', 'only'),
    groups: fc.oneof({ weight: 8, arbitrary: fc.uniqueArray(id, { maxLength: 4 }) }, { weight: 1, arbitrary: many() }),
  }),
  dns: fc.oneof(fc.constantFrom('none' as const, 'all' as const), servers),
  dropInvalid: fc.boolean(),
  loopbackCidr: fc.constantFrom('127.0.0.1/32', '127.0.0.0/8', '127.1.2.3/20'),
})

/** Generator of random capture configurations of a pod or of a command line. */
export const anyConfig = fc.oneof(ofPod, ofCommandLine)

/** Returns ADD's capture configuration for a random pod, or `undefined` if ADD skips the pod. */
function configOf({ pod: document, told, env }: PodCase): CaptureConfig | undefined {
  const pod = podInfo(parsePod(document, document.metadata))
  if (pod.hostNetwork || skipReason(pod) !== undefined) return undefined
  try {
    return captureConfig(redirectFor(pod, { env }), { ipv6: told.some((one) => one.includes(':')) })
  } catch (error) {
    if (error instanceof RedirectError) return undefined
    throw error
  }
}

/** Lists of groups whose lengths are near the limit of group conditions in one rule. */
function many(): fc.Arbitrary<number[]> {
  return fc.integer({ min: 62, max: 64 }).map((length) => Array.from({ length }, (_, i) => 10_000 + 7 * i))
}
