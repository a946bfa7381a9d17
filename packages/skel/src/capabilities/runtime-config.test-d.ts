import { definePlugin, netConf } from '@cni/skel'
import { type Bandwidth, type PortMapping, runtimeConfig } from '@cni/skel/capabilities'
import { expectTypeOf, test } from 'vitest'

test('a handler sees the capabilities that were asked for', () => {
  definePlugin({
    name: 'asks',
    config: netConf({ runtimeConfig: runtimeConfig('portMappings', 'bandwidth', 'mac') }),
    add(c) {
      const { portMappings, bandwidth, mac } = c.conf.runtimeConfig
      expectTypeOf(portMappings).toEqualTypeOf<PortMapping[]>()
      expectTypeOf(bandwidth).toEqualTypeOf<Bandwidth>()
      expectTypeOf(mac).toEqualTypeOf<string | undefined>()
      expectTypeOf<PortMapping['protocol']>().toEqualTypeOf<'tcp' | 'udp' | 'sctp'>()
      // @ts-expect-error a capability that was not asked for
      c.conf.runtimeConfig.ips
      // @ts-expect-error misspelt
      portMappings[0]?.hostPrt
      return {}
    },
  })
})

test('one that the conventions do not name is refused, and so is none', () => {
  // @ts-expect-error no such capability
  runtimeConfig('portMapping')
  // @ts-expect-error a plugin that asks for nothing gets nothing
  runtimeConfig()
})
