import { definePlugin, netConf, runtimeConfig } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'

const ANNOTATIONS = 'io.kubernetes.cri.pod-annotations'

/** Parses a configuration in a plugin that requests these capabilities. */
async function read(conf: object) {
  let seen: unknown
  const plugin = definePlugin({
    name: 'asks',
    config: netConf({ runtimeConfig: runtimeConfig('portMappings', 'bandwidth', 'ips', 'mac', 'dns', ANNOTATIONS) }),
    add(c) {
      seen = c.conf.runtimeConfig
      return {}
    },
  })
  const { error, log } = await testPlugin(plugin).add({ conf: { ...conf } })
  return { seen, error, log }
}

const nothing = {
  portMappings: [],
  bandwidth: { ingressRate: 0, ingressBurst: 0, egressRate: 0, egressBurst: 0 },
  ips: [],
  [ANNOTATIONS]: {},
}

test.each([
  ['no runtimeConfig', {}],
  ['an empty runtimeConfig', { runtimeConfig: {} }],
  ['null for lists', { runtimeConfig: { portMappings: null, ips: null, [ANNOTATIONS]: null } }],
])('%s means no mappings, no rates and no addresses', async (_, conf) => {
  expect((await read(conf)).seen).toEqual(nothing)
})

const tcp = { hostPort: 8081, containerPort: 8080, protocol: 'tcp', hostIP: '' }

test.each<[runtime: string, given: object, read: object]>([
  [
    'containerd',
    { portMappings: [{ HostPort: 8081, ContainerPort: 8080, Protocol: 'TCP', HostIP: '' }] },
    { portMappings: [tcp] },
  ],
  ['podman', { portMappings: [{ hostPort: 8081, containerPort: 8080, protocol: 'tcp' }] }, { portMappings: [tcp] }],
  [
    'containerd',
    {
      portMappings: [
        { HostPort: 0, ContainerPort: 80, Protocol: 'tcp', HostIP: '' },
        { ContainerPort: 81 },
        { HostPort: 8081, ContainerPort: 8080, Protocol: 'Tcp', HostIP: '::FFFF:10.0.0.1' },
        { HostPort: 8081, ContainerPort: 8080, HostIP: 'FD00:0::1' },
        { HostPort: 8081, ContainerPort: 8080, HostIP: '::' },
      ],
    },
    { portMappings: ['10.0.0.1', 'fd00::1', '::'].map((hostIP) => ({ ...tcp, hostIP })) },
  ],
  ['containerd', { bandwidth: { IngressRate: 8 } }, { bandwidth: { ...nothing.bandwidth, ingressRate: 8 } }],
  ['containerd', { dns: { Servers: null } }, { dns: { servers: [], searches: [], options: [] } }],
  ['another runtime', { mac: '02:00:00:00:00:01', ips: ['10.1.0.2/24'], more: 1 }, { ips: ['10.1.0.2/24'] }],
])('values of %s are parsed: %j', async (_, given, expected) => {
  const { seen, error, log } = await read({ runtimeConfig: given })
  expect([error, log]).toEqual([undefined, []])
  expect(seen).toEqual({ ...nothing, ...('mac' in given ? given : {}), ...expected })
})

test.each<[given: object, says: string]>([
  [{ portMappings: [{ hostPort: -1, containerPort: 80 }] }, 'runtimeConfig.portMappings[0].hostPort'],
  [{ portMappings: [{ hostPort: 65_536, containerPort: 80 }] }, 'runtimeConfig.portMappings[0].hostPort'],
  [
    { portMappings: [{ ...tcp, hostIP: 'eth0' }] },
    'runtimeConfig.portMappings[0].hostIP: expected an IP address, got "eth0"',
  ],
  [{ portMappings: [{ ...tcp, hostIP: '10.0.0.1/24' }] }, 'runtimeConfig.portMappings[0].hostIP'],
  [{ portMappings: [{ ...tcp, hostIP: 'x'.repeat(9999) }] }, 'runtimeConfig.portMappings[0].hostIP'],
  [{ portMappings: [{ hostPort: 80 }] }, 'runtimeConfig.portMappings[0].containerPort'],
  [{ portMappings: [{ hostPort: 80, containerPort: 80, protocol: 'icmp' }] }, 'runtimeConfig.portMappings[0].protocol'],
  [{ portMappings: ['80'] }, 'runtimeConfig.portMappings[0]'],
  [{ bandwidth: { ingressRate: -1 } }, 'runtimeConfig.bandwidth.ingressRate'],
  [{ ips: '10.1.0.2/24' }, 'runtimeConfig.ips'],
])('%j is rejected by name', async (runtimeConf, says) => {
  const { error } = await read({ runtimeConfig: runtimeConf })
  expect(error?.code).toBe(7)
  const text = `${error?.msg}\n${error?.details ?? ''}`
  expect(text).toContain(says)
  expect(text.length).toBeLessThan(400)
})
