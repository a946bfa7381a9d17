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
    ['may turn that off', { [bypass]: 'F' }, false, undefined, []],
    ['captures queries', { [dns]: '1' }, false, true, []],
    ['turns capture of queries off', { [dns]: 'FALSE' }, false, false, []],
    ['names interfaces', { [virtual]: 'virt0, virt1 ,,virt0' }, false, undefined, ['virt0', 'virt1']],
    ['may name no interface', { [virtual]: ' , ' }, false, undefined, []],
  ])('%s', (_, annotations, bypassInbound, dnsCapture, virtualInterfaces) => {
    expect(read(annotations)).toEqual({ bypassInbound, dnsCapture, virtualInterfaces, warnings: [] })
  })

  test.each(['', 'yes', 'tRUE', '2', ' true', 'garbage\n'])(
    'is ignored with a warning if it is not a boolean (%j)',
    (value) => {
      const { bypassInbound, dnsCapture, warnings } = read({ [bypass]: value, [dns]: value })
      expect([bypassInbound, dnsCapture]).toEqual([false, undefined])
      expect(warnings).toHaveLength(2)
      expect(warnings[0]).toMatch(/^annotation ambient\.istio\.io\/bypass-inbound-capture: ".*" is ignored: /)
    },
  )

  test.each(['a name', 'eth0,-j', 'virt+', 'sixteen-letters-', '../x', '"'])(
    'causes an error if it is not a list of interfaces (%j)',
    (value) => {
      const attempt = () => read({ [virtual]: value })
      expect(attempt).toThrow(/^annotation istio\.io\/reroute-virtual-interfaces of pod shop\/web-0 is /)
      expect(attempt).toThrow(expect.toSatisfy(isRedirectError))
    },
  )
})
