import { describe, expect, test } from 'vitest'
import { ambientPod } from '../../test/ambient-pods.ts'
import { isRedirectError } from '../pod/redirect-error.ts'
import { podOverrides } from './pod-overrides.ts'

const bypass = 'ambient.istio.io/bypass-inbound-capture'
const dns = 'ambient.istio.io/dns-capture'
const virtual = 'istio.io/reroute-virtual-interfaces'
const read = (annotations: Readonly<Record<string, string>>) => podOverrides(ambientPod({ annotations }))

describe('an annotation of the pod', () => {
  test.each<[string, Readonly<Record<string, string>>, boolean, boolean | undefined, readonly string[]]>([
    ['that is absent changes nothing', {}, false, undefined, []],
    ['lets inbound connections pass', { [bypass]: 'true' }, true, undefined, []],
    ['may say that they do not', { [bypass]: 'F' }, false, undefined, []],
    ['captures queries', { [dns]: '1' }, false, true, []],
    ['leaves queries alone', { [dns]: 'FALSE' }, false, false, []],
    ['names interfaces', { [virtual]: 'virt0, virt1 ,,virt0' }, false, undefined, ['virt0', 'virt1']],
    ['may name none', { [virtual]: ' , ' }, false, undefined, []],
  ])('%s', (_, annotations, bypassInbound, dnsCapture, virtualInterfaces) => {
    expect(read(annotations)).toEqual({ bypassInbound, dnsCapture, virtualInterfaces, warnings: [] })
  })

  test.each(['', 'yes', 'tRUE', '2', ' true', 'garbage\n'])(
    'that is no truth value (%j) counts as not given',
    (value) => {
      const { bypassInbound, dnsCapture, warnings } = read({ [bypass]: value, [dns]: value })
      expect([bypassInbound, dnsCapture]).toEqual([false, undefined])
      expect(warnings).toHaveLength(2)
      expect(warnings[0]).toMatch(/^annotation ambient\.istio\.io\/bypass-inbound-capture: ".*" counts as not given: /)
    },
  )

  test.each(['a name', 'eth0,-j', 'virt+', 'sixteen-letters-', '../x', '"'])(
    'that is no list of interfaces (%j) is refused, and the pod with it',
    (value) => {
      const attempt = () => read({ [virtual]: value })
      expect(attempt).toThrow(/^annotation istio\.io\/reroute-virtual-interfaces of pod shop\/web-0 is /)
      expect(attempt).toThrow(expect.toSatisfy(isRedirectError))
    },
  )
})
