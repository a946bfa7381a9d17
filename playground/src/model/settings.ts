import * as z from 'zod/mini'

/** Settings on the playground page. The value `pod` means that the pod determines the setting. */
export const settingsSchema = z.strictObject({
  mode: z.enum(['sidecar', 'ambient']),
  backend: z.enum(['iptables', 'nftables']),
  families: z.enum(['pod', 'ipv4', 'ipv6', 'dual']),
  dns: z.enum(['pod', 'on', 'off']),
  interception: z.enum(['pod', 'REDIRECT', 'TPROXY']),
  packet: z.string().check(z.maxLength(500)),
})

export type Settings = z.infer<typeof settingsSchema>

export const defaultSettings: Settings = {
  mode: 'sidecar',
  backend: 'iptables',
  families: 'pod',
  dns: 'pod',
  interception: 'pod',
  packet: 'tcp 10.96.0.20:80 uid 1000',
}
